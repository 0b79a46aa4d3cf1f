import { randomUUID } from 'node:crypto';
import type { RedisServer } from '@agent-state/services';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { lines, says, startProcess } from '../agent.ts';
import { loaded } from '../stored.ts';
import { expectQuiet } from '../troubled.ts';
import { keyOf, open, ownRedis } from './support.ts';

const redis = await ownRedis();
const hour = 3_600_000;

describe.skipIf(!redis)('the first thing a process does on Redis', () => {
  const server = redis as RedisServer;
  afterEach(() => vi.useRealTimers());

  it.each([
    ['ahead', hour],
    ['behind', -hour],
  ])('[B30] a thread that expires in a minute survives a reader whose clock is an hour %s', async (_, skew) => {
    const threadId = randomUUID();
    const ttl = { ttlMs: 60_000, pausedTtlMs: 60_000 };
    const turns = [says('One.'), says('Two.'), says('Three.')];
    const run = (input: string) => startProcess(open(server), turns, [], { ttl }).agent(threadId).run(input);
    await run('First');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skew });
    expect(await loaded(open(server), threadId)).toMatchObject({ revision: 2 });
    expect(await run('Second')).toMatchObject({ answer: 'Two.', durable: true });
    vi.useRealTimers();
    expect(await run('Third')).toMatchObject({ answer: 'Three.', durable: true });
    const { state } = await loaded(open(server), threadId);
    expect(lines(state.history)?.filter((line) => line.startsWith('user'))).toEqual([
      'user: First',
      'user: Second',
      'user: Third',
    ]);
    const left = Number(await server.command('PTTL', keyOf(threadId)));
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_000);
  });

  it('[B31] 50 runs on a client that is not connected yet are 50 stored threads', async () => {
    await server.command('FLUSHALL');
    const process = startProcess(open(server), [says('Done.')]);
    const ids = Array.from({ length: 50 }, (_, index) => `t${index}`);
    const results = await Promise.all(ids.map((id) => process.agent(id).run(id)));
    expect(results.filter(({ durable }) => !durable)).toEqual([]);
    expectQuiet(process);
    expect(await server.command('DBSIZE')).toBe(50);
    const reader = open(server);
    for (const id of ids) {
      expect(lines((await loaded(reader, id)).state.history)).toEqual([
        'system: Be helpful.',
        `user: ${id}`,
        'assistant: Done.',
      ]);
    }
  });

  it.each([
    ['a list', ['RPUSH', 'theirs']],
    ['a text', ['SET', '"text"']],
    ['an array', ['SET', '[1,2]']],
    ['null', ['SET', 'null']],
    ['a hash of somebody else', ['HSET', 'theirs', 'null']],
  ])('[B32] %s where the thread would be is corrupt, and keeps every byte', async (_, [command, ...rest]) => {
    const threadId = randomUUID();
    await server.command(String(command), keyOf(threadId), ...rest);
    const bytes = await server.command('DUMP', keyOf(threadId));
    const process = startProcess(open(server), [() => expect.fail('the model was asked')]);
    const agent = process.agent(threadId);
    await expect(agent.run('Go')).rejects.toMatchObject({ code: 'corrupt' });
    await expect(agent.resume()).rejects.toMatchObject({ code: 'corrupt' });
    await expect(agent.checkpointer.delete(threadId)).rejects.toMatchObject({ code: 'corrupt' });
    expectQuiet(process);
    expect(await server.command('DUMP', keyOf(threadId))).toBe(bytes);
  });
});
