import type { RedisServer } from '@agent-state/services';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { everything, ownRedis } from '../test/servers.ts';
import { append, textsOf, user, write } from '../test/threads.ts';
import { createRedisCheckpointer } from './checkpointer.ts';
import { keysOf } from './keys.ts';

const redis = await ownRedis();

describe.skipIf(!redis)('all of a write or nothing of it', () => {
  const server = redis as RedisServer;
  const { thread, tombstone } = keysOf('agent_checkpoints', 't');
  beforeEach(() => server.command('FLUSHALL'));
  afterEach(async () => {
    await server.command('CONFIG', 'SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
  });

  function open() {
    const store = createRedisCheckpointer({ url: server.url });
    onTestFinished(() => store.close());
    return store;
  }

  test('8,100 messages are one write, whole', async () => {
    const store = open();
    const texts = Array.from({ length: 8_100 }, (_, index) => `message ${index}`);
    const base = await store.save('t', write(['first']));
    await store.save('t', write(['first', ...texts], { base, appendedFrom: 1 }));
    expect(await textsOf(store, 't')).toEqual(['first', ...texts]);
  });

  test('100,000 messages are one write, whole, and are replaced by one message', async () => {
    const store = open();
    const texts = Array.from({ length: 100_000 }, (_, index) => `${index}`);
    const base = await store.save('t', write(texts));
    expect(await textsOf(store, 't')).toEqual(texts);
    await store.save('t', write(['only'], { base }));
    expect(await textsOf(store, 't')).toEqual(['only']);
    expect(await server.command('HLEN', thread)).toBe(4);
  });

  test('replacing the history keeps the step records', async () => {
    const store = open();
    const step = { step: 0, phase: 'think', at: '2026-01-01T00:00:00Z', run_id: 'r', history_length: 1 } as const;
    const base = await store.save('t', write(['a', 'b'], { steps: [step] }));
    await store.save('t', write(['c'], { base, steps: [{ ...step, step: 1 }] }));
    expect((await store.steps('t')).map(({ step, generation }) => [step, generation])).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  test.each([
    ['a list', ['RPUSH', thread, 'theirs']],
    ['a string', ['SET', thread, '"text"']],
    ['a hash of others', ['HSET', thread, 'their', 'field']],
    ['a hash with a field of ours', ['HSET', thread, 'control', 'null', 'head', '[1,2]']],
    ['a list where the tombstone would be', ['RPUSH', tombstone, 'theirs']],
  ])('%s is corrupt to every call, and stays', async (_, command) => {
    const store = open();
    await server.command(...command);
    const before = await everything([server]);
    await expect(store.load('t')).rejects.toMatchObject({ code: 'corrupt' });
    await expect(store.peek('t')).rejects.toMatchObject({ code: 'corrupt' });
    await expect(store.steps('t')).rejects.toMatchObject({ code: 'corrupt' });
    await expect(store.save('t', write(['mine']))).rejects.toMatchObject({ code: 'corrupt' });
    await expect(store.save('t', { state: { history: [user('plain')] } })).rejects.toMatchObject({ code: 'corrupt' });
    await expect(store.delete('t')).rejects.toMatchObject({ code: 'corrupt' });
    expect(await everything([server])).toEqual(before);
  });

  test('a thread in a newer layout is refused and stays', async () => {
    const store = open();
    const base = await store.save('t', write(['a']));
    const control = JSON.parse(String(await server.command('HGET', thread, 'control'))) as object;
    await server.command('HSET', thread, 'control', JSON.stringify({ ...control, layout: 99 }));
    const before = await everything([server]);
    await expect(store.load('t')).rejects.toMatchObject({ code: 'schema_too_new' });
    await expect(store.steps('t')).rejects.toMatchObject({ code: 'schema_too_new' });
    await expect(append(store, 't', base, ['a'], 'b')).rejects.toMatchObject({ code: 'schema_too_new' });
    await expect(store.delete('t')).rejects.toMatchObject({ code: 'schema_too_new' });
    expect(await everything([server])).toEqual(before);
  });

  test.each([
    ['a message', ['HDEL', thread, 'm:0:1']],
    ['the variables', ['HDEL', thread, 'variables']],
    ['the head', ['HDEL', thread, 'head']],
  ])('a thread that lacks %s is corrupt', async (_, command) => {
    const store = open();
    await store.save('t', write(['a', 'b', 'c']));
    await server.command(...command);
    await expect(store.load('t')).rejects.toMatchObject({ code: 'corrupt' });
  });

  test('a length beyond all that is stored is corrupt, at once', async () => {
    const store = open();
    await store.save('t', write(['a']));
    const control = JSON.parse(String(await server.command('HGET', thread, 'control'))) as object;
    await server.command('HSET', thread, 'control', JSON.stringify({ ...control, length: 1e12 }));
    await expect(store.load('t')).rejects.toMatchObject({ code: 'corrupt' });
  });

  test('out of memory: nothing of a save is stored, a delete still works', async () => {
    const store = open();
    const base = await store.save('t', write(['a']));
    const before = await everything([server]);
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    await expect(append(store, 't', base, ['a'], 'b')).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    await expect(store.save('t', write(['c'], { base }))).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    await expect(store.save('u', write(['c']))).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    expect(await textsOf(store, 't')).toEqual(['a']);
    expect(await everything([server])).toEqual(before);
    await store.delete('t');
    expect(await textsOf(store, 't')).toBeNull();
  });

  test('a save that the memory limit meets half way is stored whole or not at all', async () => {
    const store = open();
    const big = Array.from({ length: 3_000 }, (_, index) => `${index}${'x'.repeat(1_000)}`);
    let base = await store.save('t', write(['a']));
    const used = Number(/used_memory:(\d+)/.exec(String(await server.command('INFO', 'memory')))?.[1]);
    await server.command('CONFIG', 'SET', 'maxmemory', String(used + 5_000_000));
    let stored = ['a'];
    for (let round = 0; round < 4; round += 1) {
      const texts = [...stored, ...big];
      try {
        base = await store.save('t', write(texts, { base, appendedFrom: stored.length }));
        stored = texts;
      } catch (error) {
        expect(error).toMatchObject({ code: 'unavailable', applied: 'no' });
      }
    }
    expect(await textsOf(store, 't')).toEqual(stored);
    expect(stored.length).toBeLessThan(12_001);
  });

  test('what a user of the server may not do in the middle of a save leaves the thread readable', async () => {
    await server.command('ACL', 'SETUSER', 'half', 'on', '>p', '~*', '+@all', '-pexpire');
    const store = createRedisCheckpointer({ url: server.url.replace('//', '//half:p@') });
    onTestFinished(() => store.close());
    const base = await store.save('t', write(['a']));
    const next = write(['a', 'b'], {
      base,
      appendedFrom: 1,
      writeId: 'mine',
      ttl: { ttlMs: 1_000, pausedTtlMs: 1_000 },
    });
    await expect(store.save('t', next)).rejects.toMatchObject({ code: 'denied' });
    expect(await store.load('t')).toMatchObject({ found: true, etag: 'mine', length: 2 });
  });
});
