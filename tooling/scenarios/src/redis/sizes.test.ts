import { randomUUID } from 'node:crypto';
import type { Message } from '@agent-state/core';
import type { RedisServer } from '@agent-state/services';
import { afterEach, describe, expect, it } from 'vitest';
import { says, startProcess, told } from '../agent.ts';
import { deadlines } from '../deadlines.ts';
import { loaded } from '../stored.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { keyOf, open, ownRedis } from './support.ts';

const redis = await ownRedis();
const past = (count: number, length: number): Message[] =>
  Array.from({ length: count }, (_, index) => ({ role: 'user', content: `${index} ${'x'.repeat(length)}` }));

describe.skipIf(!redis)('writes that Redis does not take', () => {
  const server = redis as RedisServer;
  const configure = (name: string, value: string) => server.command('CONFIG', 'SET', name, value);
  const inInfo = async (name: string) =>
    Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(String(await server.command('INFO', 'all')))?.[1]);
  const dump = (threadId: string) => server.command('HGETALL', keyOf(threadId));
  afterEach(async () => {
    await configure('maxmemory', '0');
    await configure('proto-max-bulk-len', '512mb');
  });

  it('[B28] a message over the limit that is set is refused before anything is sent', async () => {
    const threadId = randomUUID();
    await configure('proto-max-bulk-len', '1mb');
    expect(open(server).capabilities.maxMessageBytes).toBe(16_000_000);
    const store = open(server, { maxMessageBytes: 1_000_000 });
    const process = startProcess(store, [says('Never said.')]);
    const received = await inInfo('total_net_input_bytes');
    await expect(process.agent(threadId).run('x'.repeat(2_000_000))).rejects.toMatchObject({
      code: 'too_large',
      limitBytes: 1_000_000,
    });
    expect((await inInfo('total_net_input_bytes')) - received).toBeLessThan(100_000);
    expectQuiet(process);
    expect(await store.load(threadId)).toEqual({ found: false, tombstone: null });
  });

  it('[B28] a message that our limit allows and the server does not is an outage, and stored when the server takes it', async () => {
    const big = 'x'.repeat(2_000_000);
    const threadId = randomUUID();
    const process = troubled(open(server), { first: () => configure('proto-max-bulk-len', '1mb') });
    await process.agent(threadId).run('Go');
    expectQuiet(process);
    expect(await process.agent(threadId).run(big)).toMatchObject({ answer: 'Still here.', durable: false });
    expect(process.warnings).toHaveLength(1);
    await configure('proto-max-bulk-len', '512mb');
    expect(await process.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });
    expect(told(process)).toEqual(['volatile', 'rejoined']);
    const { history } = (await loaded(open(server), threadId)).state;
    expect(history.slice(-2).map(({ content }) => content)).toEqual([big, 'Still here.']);
  });

  it('[B36] a save that meets a key of another type is corrupt, and changes nothing there', async () => {
    const threadId = randomUUID();
    const replace = async () => {
      await server.command('DEL', keyOf(threadId));
      await server.command('RPUSH', keyOf(threadId), 'theirs');
    };
    const process = troubled(open(server), { first: replace });
    await server.command('FLUSHALL');
    await expect(process.agent(threadId).run('Go')).rejects.toMatchObject({ code: 'corrupt' });
    expectQuiet(process);
    expect(await server.command('LRANGE', keyOf(threadId), '0', '-1')).toEqual(['theirs']);
    expect(await server.command('KEYS', '*')).toEqual([keyOf(threadId)]);
  });

  it('[B36] 8,100 messages are one write, and stored whole', async () => {
    const threadId = randomUUID();
    const history = past(8_100, 0);
    const process = startProcess(open(server), [says('Done.')]);
    expect(await process.agent(threadId).run('Go', { history })).toMatchObject({ durable: true });
    expectQuiet(process);
    const { state, revision } = await loaded(open(server), threadId);
    expect(revision).toBe(2);
    expect(state.history.filter(({ content }) => content !== 'Be helpful.')).toMatchObject([
      ...history,
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'Done.' },
    ]);
  });

  it.each([50_000, 2_000_000, 4_000_000, 6_000_000])(
    '[B36] a write that meets the memory limit %i bytes ahead is stored whole or not at all, and whole in the end',
    async (bytes) => {
      const threadId = randomUUID();
      const history = past(3_000, 1_000);
      const store = open(server);
      await store.load(threadId);
      await configure('maxmemory', String((await inInfo('used_memory')) + bytes));
      const process = startProcess(store, [says('Done.'), says('Still here.')], [], {
        storeCallMs: 1_000,
        storeBudgetMs: 1_050,
      });
      await process.agent(threadId).run('Go', { history });
      const found = await store.load(threadId);
      const lengths = [found.found ? found.state.history.length : 0, await server.command('EXISTS', keyOf(threadId))];
      expect([
        [0, 0],
        [3_002, 1],
        [3_003, 1],
      ]).toContainEqual(lengths);
      await configure('maxmemory', '0');
      expect(await process.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });
      expect((await loaded(store, threadId)).state.history.map(({ content }) => content).slice(-3_002)).toEqual([
        ...history.map(({ content }) => content),
        'Go',
        'Done.',
      ]);
    },
  );

  it('[B36] saves that find no memory leave the stored thread its etag and every byte', async () => {
    const threadId = randomUUID();
    let stored: unknown;
    const first = async () => {
      stored = await dump(threadId);
      await configure('maxmemory', '1');
    };
    const process = troubled(open(server), { first }, deadlines);
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: false });
    expect(await dump(threadId)).toEqual(stored);
    await configure('maxmemory', '0');
    expect(await process.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });
    await expectWhole(open(server), threadId);
  });
});
