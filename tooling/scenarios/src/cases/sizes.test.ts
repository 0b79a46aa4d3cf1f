import { randomBytes, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Checkpointer, createThreads, type Message } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import type { RedisServer } from '@agent-state/services';
import { describe, expect, inject, it } from 'vitest';
import { calls, says, startProcess, tool } from '../agent.ts';
import { open, ownRedis } from '../redis/support.ts';
import { opened } from '../stores.ts';

const redis = await ownRedis();
const mongoUrl = inject('mongoUrl');
const mega = 1_000_000;
const payload = () => randomBytes((mega * 3) / 4).toString('base64');
const fetching = (count: number) => [...Array.from({ length: count }, () => calls('fetch', {})), says('Done.')];
const fetch = tool('fetch', payload);

describe.skipIf(mongoUrl === undefined)('[S-SIZ-01] on MongoDB, a thread past the limit of a document', () => {
  const store = () => opened(() => createMongoCheckpointer({ url: String(mongoUrl) }));
  const messages = (count: number) =>
    Array.from({ length: count }, () => ({ role: 'user' as const, content: payload() }));
  const holds = async (checkpointer: Checkpointer, threadId: string, history: readonly Message[]) =>
    isDeepStrictEqual((await createThreads(checkpointer).get(threadId))?.history, history);

  it('refuses what no document holds, says how large it is, and goes on: 10 MB load whole, and 17 MB', async () => {
    const [threadId, checkpointer] = [randomUUID(), store()];
    const history = messages(10);
    const base = await checkpointer.save(threadId, { state: { history } });
    const process = startProcess(checkpointer, [says('One.')]);
    const tooLarge = { code: 'too_large', actualBytes: expect.any(Number), limitBytes: 16 * mega };
    await expect(process.agent(threadId).run('x'.repeat(17 * mega))).rejects.toMatchObject(tooLarge);
    expect(process.events.map(({ type }) => type)).not.toContain('volatile');
    expect(await holds(checkpointer, threadId, history)).toBe(true);
    expect(await process.agent(randomUUID()).run('Hello')).toMatchObject({ durable: true });

    const longer = [...history, ...messages(7)];
    await checkpointer.save(threadId, { state: { history: longer }, base, appendedFrom: base.length });
    expect(await holds(checkpointer, threadId, longer)).toBe(true);
    await checkpointer.delete(threadId);
  });
});

describe('[S-SIZ-02] twenty results of 1 MB', () => {
  it('past a limit that is set are kept out, and the model and the events say so', async () => {
    const store = opened(() => createMemoryCheckpointer({ maxMessageBytes: 100_000 }));
    const process = startProcess(store, fetching(20), [fetch]);
    expect(await process.agent('t').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    const failed = process.events.filter((event) => event.type === 'tool_finished' && event.status === 'failed');
    expect(failed).toHaveLength(20);
    const { history } = (await createThreads(store).get('t')) ?? { history: [] };
    const results = history.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(new Set(results)).toEqual(
      new Set([expect.stringMatching(/^Error: the result has \d{7} bytes; 100000 are/)]),
    );
    expect(JSON.stringify(history).length).toBeLessThan(20_000);
  });

  it.skipIf(!redis)('that are let in travel to the store once each', async () => {
    const received = async () => {
      const stats = String(await (redis as RedisServer).command('INFO', 'stats'));
      return Number(/total_net_input_bytes:(\d+)/.exec(stats)?.[1]);
    };
    const store = open(redis as RedisServer);
    const before = await received();
    expect(await startProcess(store, fetching(20), [fetch]).agent('t').run('Go')).toMatchObject({ durable: true });
    expect(((await received()) - before) / mega).toBeCloseTo(20, 0);
  });
});
