import { mkdir, rm } from 'node:fs/promises';
import type { Position } from '@agent-state/core';
import { freePort, type RedisServer } from '@agent-state/services';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ownRedis } from '../test/servers.ts';
import { append, textsOf, write } from '../test/threads.ts';
import { byIoredis, byNodeRedis, byUrl, type Variant } from '../test/variants.ts';
import { createRedisCheckpointer } from './checkpointer.ts';

const redis = await ownRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });

/** Milliseconds until `call` has settled, and how. */
async function timed(call: () => Promise<unknown>): Promise<{ ms: number; error: unknown }> {
  const start = performance.now();
  const error = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { ms: performance.now() - start, error };
}

/** Repeats a call until it succeeds. */
async function eventually<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (attempt === 40) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describe.skipIf(!redis).each([byUrl, byNodeRedis, byIoredis])('a server that fails, by $name', (variant: Variant) => {
  const server = redis as RedisServer;
  beforeEach(() => server.command('FLUSHALL'));
  afterEach(async () => {
    server.thaw();
    if (!server.running()) await server.start();
    await server.command('REPLICAOF', 'NO', 'ONE');
    await server.command('CONFIG', 'SET', 'replica-serve-stale-data', 'yes', 'min-replicas-to-write', '0');
  });

  function open(url = server.url) {
    const store = variant.open([url], { connectTimeoutMs: 400, commandTimeoutMs: 400 });
    onTestFinished(() => store.close());
    return store;
  }

  test('refused: every call says so within the deadline, and none is applied', async () => {
    const store = open(`redis://127.0.0.1:${await freePort()}`);
    for (const call of [() => store.load('t'), () => store.save('t', write(['a'])), () => store.delete('t')]) {
      const { ms, error } = await timed(call);
      expect(error).toMatchObject({ code: 'unavailable', applied: 'no' });
      expect(ms).toBeLessThan(700);
    }
  });

  test('down when it is made, up later: connects by itself', async () => {
    await server.shutdown();
    const store = open();
    await expect(store.load('t')).rejects.toMatchObject({ code: 'unavailable' });
    await server.start();
    await eventually(() => store.save('t', write(['a'])));
    expect(await textsOf(store, 't')).toEqual(['a']);
  });

  test('50 first calls at once are 50 threads', async () => {
    const store = open();
    const ids = Array.from({ length: 50 }, (_, index) => `t${index}`);
    await Promise.all(ids.map((id) => store.save(id, write([id]))));
    expect(await Promise.all(ids.map((id) => textsOf(store, id)))).toEqual(ids.map((id) => [id]));
  });

  test('killed and started again: unavailable meanwhile, then goes on, and nothing lands that was said not to', async () => {
    const store = open();
    const base = await store.save('t', write(['a']));
    await server.kill();
    const { ms, error } = await timed(() => append(store, 't', base, ['a'], 'lost'));
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(ms).toBeLessThan(900);
    await server.start();
    // A client of somebody else's may send again what got no answer; it was said to be `maybe` then.
    const found = (await eventually(() => textsOf(store, 't'))) as string[];
    const { applied } = error as { applied?: string };
    expect(applied === 'no' ? [['a']] : [['a'], ['a', 'lost']]).toContainEqual(found);
    await append(store, 't', (await store.peek('t')) as Position, found, 'b');
    expect(await textsOf(store, 't')).toEqual([...found, 'b']);
  });

  test('frozen: rejects in time as maybe applied, and the write is found by its id after the thaw', async () => {
    const store = open();
    const base = await store.save('t', write(['a']));
    server.freeze();
    const next = write(['a', 'b'], { base, appendedFrom: 1, writeId: 'mine' });
    const { ms, error } = await timed(() => store.save('t', next));
    expect(error).toMatchObject({ code: 'unavailable', applied: 'maybe' });
    expect(ms).toBeLessThan(900);
    server.thaw();
    expect(await eventually(() => store.load('t'))).toMatchObject({ found: true, etag: 'mine', length: 2 });
  });

  test('connections killed: at most one call fails', async () => {
    const store = open();
    const base = await store.save('t', write(['a']));
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await eventually(() => append(store, 't', base, ['a'], 'b'));
    expect(await textsOf(store, 't')).toEqual(['a', 'b']);
  });

  test('read-only: saves are not applied, loads still work; back, they do', async () => {
    const store = open();
    const base = await store.save('t', write(['a']));
    await server.command('REPLICAOF', '127.0.0.1', '1');
    await expect(append(store, 't', base, ['a'], 'b')).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    expect(await textsOf(store, 't')).toEqual(['a']);
    await server.command('REPLICAOF', 'NO', 'ONE');
    await append(store, 't', base, ['a'], 'b');
  });

  test('a replica without its master is unavailable, not empty', async () => {
    const store = open();
    await store.save('t', write(['a']));
    await server.command('CONFIG', 'SET', 'replica-serve-stale-data', 'no');
    await server.command('REPLICAOF', '127.0.0.1', '1');
    await expect(store.load('t')).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    await expect(store.load('never')).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
  });

  test('too few replicas: not applied', async () => {
    const store = open();
    await server.command('CONFIG', 'SET', 'min-replicas-to-write', '1');
    await expect(store.save('t', write(['a']))).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
  });

  test('slower than usual, but within the deadline, is just slow', async () => {
    const store = open();
    await store.load('t');
    const sleeping = server.command('DEBUG', 'SLEEP', '0.2');
    expect((await timed(() => store.save('t', write(['a'])))).error).toBeUndefined();
    await sleeping;
  });
});

describe.skipIf(!redis)('a server that fails, seen by a client of our own', () => {
  const server = redis as RedisServer;
  beforeEach(() => server.command('FLUSHALL'));

  test('[S-MEM-03] 20 restarts while saving leave one connection', async () => {
    const store = createRedisCheckpointer({ url: server.url, connectTimeoutMs: 400, commandTimeoutMs: 400 });
    onTestFinished(() => store.close());
    for (let round = 0; round < 20; round += 1) {
      const saving = Promise.allSettled([store.save(`a${round}`, write(['a'])), store.load('t')]);
      await server.kill();
      await saving;
      await Promise.all([server.start(), timed(() => store.load('t'))]);
    }
    await eventually(() => store.load('t'));
    const clients = String(await server.command('CLIENT', 'LIST', 'TYPE', 'normal'));
    // The one that asks is the second.
    expect(clients.match(/^id=/gm)).toHaveLength(2);
  });

  test('frozen 10 times past the deadline: one connection in the end', async () => {
    const store = createRedisCheckpointer({ url: server.url, connectTimeoutMs: 60, commandTimeoutMs: 60 });
    onTestFinished(() => store.close());
    for (let round = 0; round < 10; round += 1) {
      await eventually(() => store.load('t'));
      server.freeze();
      await Promise.all([timed(() => store.load('t')), timed(() => store.load('u'))]);
      await timed(() => store.load('t'));
      server.thaw();
    }
    await eventually(() => store.load('t'));
    const count = async () =>
      String(await server.command('CLIENT', 'LIST', 'TYPE', 'normal')).match(/^id=/gm)?.length ?? 0;
    await expect.poll(count).toBe(2);
  });

  test('a reader whose clock is ahead changes nothing', async ({ expect }) => {
    const store = createRedisCheckpointer({ url: server.url });
    onTestFinished(() => store.close());
    await store.save('t', write(['a'], { ttl: { ttlMs: 60_000, pausedTtlMs: 60_000 } }));
    const { now } = Date;
    Date.now = () => now() + 3_600_000;
    onTestFinished(() => {
      Date.now = now;
    });
    expect(await textsOf(store, 't')).toEqual(['a']);
  });
});

const other = await ownRedis();

describe.skipIf(!other)('a server that answers, and refuses', () => {
  const server = other as RedisServer;

  function open() {
    const store = createRedisCheckpointer({ url: server.url, connectTimeoutMs: 400, commandTimeoutMs: 400 });
    onTestFinished(() => store.close());
    return store;
  }

  test('busy with a long script: not applied', async () => {
    const store = open();
    await store.load('t');
    await server.command('CONFIG', 'SET', 'busy-reply-threshold', '10');
    const endless = server.command('EVAL', 'while true do end', '0').catch(() => {});
    await expect.poll(() => server.command('PING').catch(String)).toContain('BUSY');
    await expect(store.save('t', write(['a']))).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    await server.command('SCRIPT', 'KILL');
    await endless;
    expect(await textsOf(store, 't')).toBeNull();
  });

  test('loading its data: unavailable, not empty', async () => {
    const store = open();
    await store.save('t', write(['a']));
    await server.command('DEBUG', 'POPULATE', '2000', 'filler', '100');
    await server.command('SAVE');
    await server.kill();
    const flags = ['--key-load-delay', '500', '--loading-process-events-interval-bytes', '1024'];
    await server.start(...flags);
    await expect(store.load('t')).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    await expect.poll(() => textsOf(store, 't').catch(() => 'not yet'), { timeout: 10_000 }).toEqual(['a']);
  });

  test('unable to save to disk: not applied', async () => {
    const store = open();
    await store.load('never');
    await rm(server.dir, { recursive: true });
    onTestFinished(() => mkdir(server.dir).then(() => {}));
    await server.command('CONFIG', 'SET', 'save', '3600 1');
    await server.command('BGSAVE');
    await expect.poll(() => server.command('INFO', 'persistence')).toContain('rdb_last_bgsave_status:err');
    await expect(store.save('u', write(['a']))).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
  });
});
