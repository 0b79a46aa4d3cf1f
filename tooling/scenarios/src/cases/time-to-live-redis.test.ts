import { createThreads } from '@agent-state/core';
import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { calls, says, startProcess, tool } from '../agent.ts';
import { open, ownRedis } from '../redis/support.ts';

const redis = await ownRedis();
const minute = { ttl: { ttlMs: 60_000, pausedTtlMs: 60_000 } };
const hour = { ttl: { ttlMs: 3_600_000, pausedTtlMs: 3_600_000 } };

describe.skipIf(!redis)('on Redis, a thread with a time to live', () => {
  const server = redis as RedisServer;
  const keyOf = (threadId: string) => `agent_checkpoints:{${threadId}}`;
  const timeLeft = async (threadId: string) => Number(await server.command('PTTL', keyOf(threadId)));
  /** As if most of its time had passed: what is left shows whether a save renewed it. */
  const age = (threadId: string) => server.command('PEXPIRE', keyOf(threadId), '9000');

  it('[S-TTL-01] has no key that stays when it expires, the mark of an earlier delete included', async () => {
    await server.command('FLUSHALL');
    const store = open(server);
    const work = tool('work', (_args, { variables }) => variables.set('worked', true));
    const turns = [calls('work', {}, 'work', {}), says('Done.')];
    await startProcess(store, turns, [work], hour).agent('t').run('First');
    const times = async () => {
      const keys = (await server.command('KEYS', '*')) as string[];
      return Promise.all(keys.map((key) => server.command('PTTL', key).then(Number)));
    };
    const [time = 0, ...others] = await times();
    expect(time).toBeGreaterThan(3_590_000);
    for (const other of others) expect(Math.abs(other - time)).toBeLessThan(1_000);

    await store.delete('t');
    await startProcess(store, turns, [work], hour).agent('t').run('Again');
    for (const left of await times()) expect(left).toBeGreaterThan(3_590_000);
  });

  it('[S-TTL-02] lives on by it after every save, which renews it: of a step, of a result, of anybody', async () => {
    const times: number[] = [];
    const look = async () => {
      times.push(await timeLeft('u'));
      await age('u');
    };
    const work = tool('work', look);
    const thinking = (answer: ReturnType<typeof says>) => async () => {
      await look();
      return answer;
    };
    const turns = [calls('work', {}, 'work', {}), says('Done.'), says('Again.')].map(thinking);
    const store = open(server);
    await startProcess(store, turns, [work], { ...minute, toolConcurrency: 1 })
      .agent('u')
      .run('First');
    await look();
    await startProcess(open(server), turns, [work]).agent('u').run('Second');
    await look();
    await createThreads(store).rewrite('u', (history) => [...history.slice(0, 1), ...history.slice(-1)]);
    await look();
    await store.save('u', { state: { history: [{ role: 'user', content: 'Replaced' }] } });
    await look();
    expect(times).toHaveLength(9);
    for (const time of times) expect(time).toBeGreaterThan(50_000);
  });

  it('[S-TTL-02] lives on by it after what an outage held up is saved', async () => {
    const setMemory = (limit: string) => server.command('CONFIG', 'SET', 'maxmemory', limit);
    const fill = tool('fill', () => setMemory('1').then(() => 'full'));
    const options = { ...minute, storeCallMs: 200, storeBudgetMs: 300 };
    const process = startProcess(open(server), [calls('fill', {}), says('Done.')], [fill], options);
    expect(await process.agent('held-up').run('First')).toMatchObject({ durable: false });
    await age('held-up');
    await setMemory('0');
    expect(await process.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });
    expect(await timeLeft('held-up')).toBeGreaterThan(40_000);
  });
});
