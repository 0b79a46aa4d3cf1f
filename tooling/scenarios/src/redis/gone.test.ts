import { randomUUID } from 'node:crypto';
import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { createGate, lines, says, startProcess, told } from '../agent.ts';
import { loaded } from '../stored.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { keyOf, open, ownRedis } from './support.ts';

const redis = await ownRedis();

describe.skipIf(!redis)('what is gone from Redis while a run goes on', () => {
  const server = redis as RedisServer;
  const timeLeft = async (threadId: string) => Number(await server.command('PTTL', keyOf(threadId)));
  const exists = (threadId: string) => server.command('EXISTS', keyOf(threadId));

  it('[B29] a thread that expires in mid-run is written again whole, with all its time', async () => {
    const threadId = randomUUID();
    const ttlMs = 60_000;
    const expire = async () => {
      await server.command('PEXPIRE', keyOf(threadId), '1');
      await expect.poll(() => exists(threadId)).toBe(0);
    };
    const ttl = { ttlMs, pausedTtlMs: ttlMs };
    const process = troubled(open(server), { first: expire }, { ttl });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process, ['vanished']);
    await expectWhole(open(server), threadId);
    expect(await timeLeft(threadId)).toBeGreaterThan(ttlMs - 10_000);
  });

  it('[B29] a thread gets its time to live anew with every save', async () => {
    const threadId = randomUUID();
    const ttlMs = 60_000;
    const shorten = () => server.command('PEXPIRE', keyOf(threadId), '20000');
    let before = 0;
    const look = async () => {
      before = await timeLeft(threadId);
      await shorten();
    };
    const process = troubled(open(server), { first: shorten, second: look }, { ttl: { ttlMs, pausedTtlMs: ttlMs } });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ durable: true });
    expectQuiet(process);
    expect(before).toBeGreaterThan(ttlMs - 10_000);
    expect(await timeLeft(threadId)).toBeGreaterThan(ttlMs - 10_000);
  });

  it.each([
    ['DEL', (threadId: string) => server.command('DEL', keyOf(threadId))],
    ['FLUSHALL', () => server.command('FLUSHALL')],
    ['SWAPDB', () => server.command('SWAPDB', '0', '1')],
  ])(
    '[B33] a thread that %s takes away in mid-run is written again whole, as a new record, and is said to have vanished',
    async (_, remove) => {
      const threadId = randomUUID();
      const store = open(server);
      let old = '';
      const first = async () => {
        old = (await loaded(store, threadId)).life.born;
        await remove(threadId);
        expect(await exists(threadId)).toBe(0);
      };
      const process = troubled(store, { first });
      expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
      expectQuiet(process, ['vanished']);
      await expectWhole(open(server), threadId);
      expect((await loaded(store, threadId)).life.born).not.toBe(old);
    },
  );

  it('[B33] a thread that is deleted in mid-run stays deleted', async () => {
    const threadId = randomUUID();
    const store = open(server);
    const process = troubled(store, { first: () => open(server).delete(threadId) });
    await expect(process.agent(threadId).run('Go')).rejects.toMatchObject({ code: 'deleted' });
    expect(told(process)).toEqual([]);
    expect(await store.load(threadId)).toMatchObject({ found: false, tombstone: expect.any(String) });
    expect(await exists(threadId)).toBe(0);
  });

  it('[B38] the owner of a deleted thread, frozen until its next life was evicted, brings nothing of the first back', async () => {
    const threadId = randomUUID();
    const [frozen, waking] = [createGate(), createGate()];
    const first = async () => {
      frozen.open();
      await waking.passed;
    };
    const owner = troubled(open(server), { first });
    const run = owner.agent(threadId).run('Go');
    await frozen.passed;
    const store = open(server);
    await store.delete(threadId);
    const next = startProcess(store, [says('A new life.')]).agent(threadId);
    expect(await next.run('Hello')).toMatchObject({ durable: true });
    await server.command('DEL', keyOf(threadId));
    waking.open();
    await expect(run).rejects.toMatchObject({ code: 'deleted' });
    expect(told(owner)).toEqual([]);
    expect(await store.load(threadId)).toMatchObject({ found: false, tombstone: expect.any(String) });
    expect(await exists(threadId)).toBe(0);
    expect(await next.run('Back again')).toMatchObject({ durable: true });
    expect(lines((await loaded(store, threadId)).state.history)).toEqual([
      'system: Be helpful.',
      'user: Back again',
      'assistant: A new life.',
    ]);
  });
});
