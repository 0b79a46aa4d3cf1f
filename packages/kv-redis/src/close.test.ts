import { freePort, type RedisServer } from '@agent-state/services';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { bundleSources, runChild } from '../test/bundle.ts';
import { ownRedis } from '../test/servers.ts';
import { textsOf, write } from '../test/threads.ts';
import { createRedisCheckpointer } from './checkpointer.ts';

const redis = await ownRedis();

describe.skipIf(!redis)('close', () => {
  const server = redis as RedisServer;
  beforeEach(() => server.command('FLUSHALL'));
  afterEach(() => server.thaw());

  const connections = async () =>
    String(await server.command('CLIENT', 'LIST', 'TYPE', 'normal')).match(/^id=/gm)?.length ?? 0;

  test('waits for what is under way, and closes the connection', async () => {
    const before = await connections();
    const store = createRedisCheckpointer({ url: server.url });
    const saving = store.save('t', write(['a']));
    await store.close();
    await saving;
    await expect.poll(connections).toBe(before);
    await expect(store.load('t')).rejects.toMatchObject({ code: 'closed' });
    const other = createRedisCheckpointer({ url: server.url });
    expect(await textsOf(other, 't')).toEqual(['a']);
    await other.close();
  });

  test('is bounded where the server does not answer', async () => {
    const store = createRedisCheckpointer({ url: server.url, connectTimeoutMs: 300, commandTimeoutMs: 300 });
    await store.load('t');
    server.freeze();
    const saving = store.save('t', write(['a'])).catch(({ applied }: { applied: string }) => applied);
    const start = performance.now();
    await store.close();
    expect(performance.now() - start).toBeLessThan(800);
    expect(await saving).toBe('maybe');
  });

  test('a client that is discarded while it connects leaves no connection', async () => {
    const before = await connections();
    const store = createRedisCheckpointer({ url: server.url });
    await store.load('t');
    store.reset();
    for (let round = 0; round < 5; round += 1) {
      const loading = store.load('t').catch(({ code }: { code: string }) => code);
      await Promise.resolve();
      store.reset();
      expect(await loading).toBe('unavailable');
    }
    expect(await textsOf(store, 't')).toBeNull();
    await expect.poll(connections).toBe(before + 1);
    await store.close();
  });

  test('a call that comes to the server only after it is refused, and leaves no connection', async () => {
    const before = await connections();
    const store = createRedisCheckpointer({ url: server.url });
    const { state } = write(['a']);
    const queued = store.save('t', { state });
    await store.close();
    await expect(queued).rejects.toMatchObject({ code: 'closed' });
    expect(await connections()).toBe(before);
  });

  test('a checkpointer that was never used opens nothing', async () => {
    const before = await connections();
    const store = createRedisCheckpointer({ url: server.url });
    await store.close();
    expect(await connections()).toBe(before);
  });
});

const bundle = await bundleSources();
afterAll(() => bundle.remove());

describe.skipIf(!redis)('a process that closes its checkpointer ends by itself', () => {
  const server = redis as RedisServer;
  const child = (url: string, how: string) => runChild([bundle.file, url, how], 5_000);

  test('with the server up', async () => {
    expect(await child(server.url, 'wait')).toBe('saved');
  });

  test('with the server down', async () => {
    expect(await child(`redis://127.0.0.1:${await freePort()}`, 'wait')).toBe('unavailable');
  });

  test('with the server down, in the middle of connecting', async () => {
    expect(await child(`redis://127.0.0.1:${await freePort()}`, 'now')).toBe('not waited for');
  });

  test('with the server frozen', async () => {
    server.freeze();
    onTestFinished(() => server.thaw());
    expect(await child(server.url, 'wait')).toBe('unavailable');
  });

  test('with a host that does not answer at all', async () => {
    expect(await child('redis://192.0.2.1:6379', 'wait')).toBe('unavailable');
  });
});
