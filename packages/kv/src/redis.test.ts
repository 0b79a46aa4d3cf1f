import { freePort, type RedisServer } from '@agent-state/services';
import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openKeyv, ownRedis } from '../test/redis.ts';
import { createKvCheckpointer } from './checkpointer.ts';

const redis = await ownRedis();
const write = { state: { history: [] }, base: { found: false, tombstone: null } } as const;

describe.skipIf(!redis)('over @keyv/redis', () => {
  const server = redis as RedisServer;
  // The adapter's namespace, Keyv's, ours.
  const key = 'keyv::keyv:agent_checkpoints:t';
  beforeEach(() => server.command('FLUSHALL'));
  afterEach(async () => {
    await server.command('REPLICAOF', 'NO', 'ONE');
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
  });

  const open = () => createKvCheckpointer({ keyv: openKeyv(server.url), timeoutMs: 500 });

  test.each([
    ['null', ['SET', key, 'null']],
    ['a text', ['SET', key, '"text"']],
    ['an array', ['SET', key, '[1,2]']],
    ['truncated JSON', ['SET', key, '{"value":']],
    ['a list', ['RPUSH', key, 'theirs']],
  ])('[B32] %s under the key is corrupt, and stays', async (_, command) => {
    await server.command(...command);
    const before = await server.command('DUMP', key);
    const store = open();
    await expect(store.load('t')).rejects.toMatchObject({ code: 'corrupt' });
    await expect(store.save('t', write)).rejects.toMatchObject({ code: 'corrupt' });
    expect(await server.command('DUMP', key)).toEqual(before);
  });

  test('[B31] 50 first calls at once are 50 threads', async () => {
    const store = open();
    const ids = Array.from({ length: 50 }, (_, index) => `t${index}`);
    await Promise.all(ids.map((id) => store.save(id, write)));
    for (const id of ids) expect(await store.load(id)).toMatchObject({ found: true });
  });

  test('a server that refuses writes is no success', async () => {
    const store = open();
    await store.load('t');
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    await expect(store.save('t', write)).rejects.toMatchObject({ code: 'unavailable' });
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await server.command('REPLICAOF', '127.0.0.1', '1');
    await expect(store.save('t', write)).rejects.toMatchObject({ code: 'unavailable' });
    await server.command('REPLICAOF', 'NO', 'ONE');
    expect(await store.load('t')).toEqual({ found: false, tombstone: null });
  });

  test('[S-DEL-03] a delete that the server refuses is no success', async () => {
    const store = open();
    await store.save('t', write);
    await server.command('REPLICAOF', '127.0.0.1', '1');
    await expect(store.delete('t')).rejects.toMatchObject({ code: 'unavailable' });
    await server.command('REPLICAOF', 'NO', 'ONE');
    expect(await store.load('t')).toMatchObject({ found: true });
    await store.delete('t');
    expect(await store.load('t')).toMatchObject({ found: false });
  });

  test('[S-TTL-01] [S-TTL-02] no key of a thread with a time to live stays, whatever is written afterwards', async () => {
    const store = open();
    const ttl = { ttlMs: 60_000, pausedTtlMs: 60_000 };
    const times = async () => {
      const keys = (await server.command('KEYS', '*')) as string[];
      return Promise.all(keys.map(async (name) => Number(await server.command('PTTL', name))));
    };
    let base = await store.save('t', { ...write, ttl });
    base = await store.save('t', { state: { history: [{ role: 'user', content: 'a' }] }, base, appendedFrom: 0 });
    expect(await times()).toEqual([expect.closeTo(60_000, -4)]);
    await server.command('PEXPIRE', key, '9000');
    await store.save('t', { state: { history: [] } });
    expect(await times()).toEqual([expect.closeTo(60_000, -4)]);
    await store.delete('t');
    await store.save('t', { state: { history: [] }, base: await store.load('t'), ttl });
    expect(await times()).toHaveLength(2);
    for (const time of await times()) expect(time).toBeGreaterThan(50_000);
  });

  test('a server that is not there is unavailable in time', async () => {
    const keyv = openKeyv(`redis://127.0.0.1:${await freePort()}`);
    const store = createKvCheckpointer({ keyv, timeoutMs: 300 });
    const start = performance.now();
    await expect(store.load('t')).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    expect(performance.now() - start).toBeLessThan(600);
  });

  test('an adapter that hides its errors is refused', () => {
    const keyv = new Keyv(new KeyvRedis(server.url), { throwOnErrors: true });
    expect(() => createKvCheckpointer({ keyv })).toThrow(expect.objectContaining({ code: 'configuration' }));
  });

  test('namespaces and ids that look like keys of each other are apart', async () => {
    const keyv = openKeyv(server.url);
    const [one, two] = ['a', 'a:b'].map((namespace) => createKvCheckpointer({ keyv, namespace }));
    await one?.save('b:x', write);
    expect(await two?.load('x')).toMatchObject({ found: false });
    expect(await one?.load('b:x:deleted')).toMatchObject({ found: false });
  });
});
