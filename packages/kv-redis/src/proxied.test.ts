import { type RedisServer, startProxy } from '@agent-state/services';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ownRedis } from '../test/servers.ts';
import { append, textsOf, write } from '../test/threads.ts';
import { createRedisCheckpointer } from './checkpointer.ts';

const redis = await ownRedis();
const isScript = (request: Buffer) => request.includes('evalsha');

describe.skipIf(!redis)('a wire that fails', () => {
  const server = redis as RedisServer;
  beforeEach(() => server.command('FLUSHALL'));

  async function open() {
    const proxy = await startProxy(server.port);
    const store = createRedisCheckpointer({
      url: `redis://127.0.0.1:${proxy.port}`,
      connectTimeoutMs: 500,
      commandTimeoutMs: 500,
    });
    onTestFinished(async () => {
      await store.close();
      await proxy.stop();
    });
    const base = await store.save('t', write(['a']));
    return { proxy, store, base };
  }

  test('an acknowledgement that is lost is a write that may be applied, and is found once', async () => {
    const { proxy, store, base } = await open();
    proxy.swallowReply(isScript);
    await expect(append(store, 't', base, ['a'], 'b')).rejects.toMatchObject({ code: 'unavailable', applied: 'maybe' });
    expect(await textsOf(store, 't')).toEqual(['a', 'b']);
  });

  test('a request that is lost is a write that may be applied, and is not there', async () => {
    const { proxy, store, base } = await open();
    proxy.resetNext(isScript);
    await expect(append(store, 't', base, ['a'], 'b')).rejects.toMatchObject({ code: 'unavailable', applied: 'maybe' });
    expect(await textsOf(store, 't')).toEqual(['a']);
  });

  test.each([0, 1, 10, 100, 300])(
    'a load of which %i bytes arrive is unavailable, never a shorter thread',
    async (bytes) => {
      const { proxy, store } = await open();
      proxy.limitData(bytes, isScript);
      await expect(store.load('t')).rejects.toMatchObject({ code: 'unavailable' });
      expect(await textsOf(store, 't')).toEqual(['a']);
    },
  );

  test('garbage costs one call: the client that got it is not used again', async () => {
    const { proxy, store } = await open();
    proxy.replaceReply('!!garbage!!\r\n', isScript);
    await expect(store.load('t')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await textsOf(store, 't')).toEqual(['a']);
  });

  test.each(['!!garbage!!\r\n', ':1\r\n:1\r\n', '*2\r\n:1\r\n'])(
    'a reply of %j puts no call in the place of another: each has its own answer, or none',
    async (garbage) => {
      const { proxy, store } = await open();
      await store.save('u', write(['b']));
      const shot = proxy.replaceReply(garbage, isScript);
      const spoilt = textsOf(store, 't').catch(() => 'unavailable');
      await shot.fired;
      const answers = [];
      for (let round = 0; round < 4; round += 1) answers.push(await textsOf(store, 'u').catch(() => 'unavailable'));
      expect(await spoilt).toBe('unavailable');
      expect([['b'], 'unavailable']).toContainEqual(answers[0]);
      expect(answers.slice(1)).toEqual([['b'], ['b'], ['b']]);
    },
  );

  test('stalled: in time, and works again afterwards', async () => {
    const { proxy, store, base } = await open();
    proxy.stall();
    const start = performance.now();
    await expect(append(store, 't', base, ['a'], 'b')).rejects.toMatchObject({ code: 'unavailable', applied: 'maybe' });
    await expect(store.load('t')).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    expect(performance.now() - start).toBeLessThan(1_500);
    await proxy.pass();
    expect(await textsOf(store, 't')).toContain('a');
  });

  test('reset() is followed by a new client', async () => {
    const { store } = await open();
    store.reset();
    store.reset();
    expect(await textsOf(store, 't')).toEqual(['a']);
  });
});
