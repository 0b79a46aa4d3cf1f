import { startProxy } from '@agent-state/services';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { commandCounts, ownRedis } from '../test/servers.ts';
import { append, textsOf, user, write } from '../test/threads.ts';
import { byIoredis, byNodeRedis, byUrl } from '../test/variants.ts';

const redis = await ownRedis();

describe.skipIf(!redis).each([byUrl, byNodeRedis, byIoredis])('what goes over the wire, by $name', (variant) => {
  const server = redis as NonNullable<typeof redis>;
  beforeEach(() => server.command('FLUSHALL'));

  async function connected(url = server.url) {
    const store = variant.open([url]);
    onTestFinished(() => store.close());
    const position = await store.save('t', write(['0']));
    await store.load('t');
    await server.command('CONFIG', 'RESETSTAT');
    return { store, position };
  }

  test('a save is one call, whatever it holds', async () => {
    const { store, position } = await connected();
    let base = await append(store, 't', position, ['0'], '1');
    base = await store.save('t', { state: { history: [user('a')], variables: { a: 1 } }, base });
    await store.save('t', {
      state: { history: [user('a')] },
      base,
      appendedFrom: 1,
      ttl: { ttlMs: 9, pausedTtlMs: 9 },
    });
    const { evalsha, ...counts } = await commandCounts(server);
    expect(evalsha).toBe(3);
    const inside = [
      'hmget',
      'get',
      'exists',
      'hset',
      'pexpire',
      'persist',
      'hkeys',
      'hdel',
      'config|resetstat',
      'info',
    ];
    expect(Object.keys(counts).filter((name) => !inside.includes(name))).toEqual([]);
  });

  test('[S-PER-03] load, peek and steps are one call each, a delete is two, however many keys others have', async () => {
    const { store } = await connected();
    await server.command('DEBUG', 'POPULATE', '100000', 'foreign');
    await server.command('CONFIG', 'RESETSTAT');
    await store.load('t');
    await store.peek('t');
    await store.steps('t');
    expect((await commandCounts(server)).evalsha).toBe(3);
    await store.delete('t');
    await store.save('t', { state: { history: [user('again')] } });
    await expect(store.list()).rejects.toMatchObject({ code: 'unsupported' });
    const { info: _info, 'config|resetstat': _reset, ...counts } = await commandCounts(server);
    const { evalsha, ...inside } = counts;
    expect(evalsha).toBe(7);
    expect(Object.keys(inside)).not.toEqual(expect.arrayContaining(['keys']));
    expect(Object.keys(inside)).not.toEqual(expect.arrayContaining(['scan']));
    expect(Object.values(inside).reduce((sum, calls) => sum + calls, 0)).toBeLessThan(40);
    expect(await server.command('DBSIZE')).toBeGreaterThan(100_000);
  });

  test('a server that has lost its scripts gets them again', async () => {
    const { store, position } = await connected();
    await server.command('SCRIPT', 'FLUSH');
    await append(store, 't', position, ['0'], '1');
    expect(await textsOf(store, 't')).toEqual(['0', '1']);
  });

  test('step 400 sends what step 20 sends, and variables that did not change are not sent', async () => {
    const proxy = await startProxy(server.port);
    onTestFinished(() => proxy.stop());
    const { store } = await connected(`redis://127.0.0.1:${proxy.port}`);
    const history = [user('0')];
    const variables = { notes: 'n'.repeat(100_000) };
    let base = await store.save('long', { state: { history, variables }, base: { found: false, tombstone: null } });
    const sent: number[] = [];
    for (let step = 1; step <= 400; step += 1) {
      history.push(user(`${String(step).padStart(4, '0')}${'x'.repeat(2_000)}`));
      const before = proxy.sentBytes;
      base = await store.save('long', {
        state: { history, variables },
        base,
        appendedFrom: step,
        variablesChanged: false,
      });
      sent.push(proxy.sentBytes - before);
    }
    const [early = 0, late = 0] = [sent[19], sent[399]];
    expect(late).toBeLessThan(early + 50);
    expect(late).toBeLessThan(3_000);
  });
});
