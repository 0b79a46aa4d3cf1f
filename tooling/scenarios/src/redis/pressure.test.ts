import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { lines, says, startProcess } from '../agent.ts';
import { loaded } from '../stored.ts';
import { open, ownRedis } from './support.ts';

const redis = await ownRedis('--maxmemory-policy', 'allkeys-lru');
const threads = 3_000;
const abreast = 100;

/** At most so many at a time, as a server would have it. */
async function each<T>(ids: readonly string[], act: (id: string) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let first = 0; first < ids.length; first += abreast) {
    results.push(...(await Promise.all(ids.slice(first, first + abreast).map(act))));
  }
  return results;
}

describe.skipIf(!redis)('thousands of threads in too little memory', () => {
  const server = redis as RedisServer;

  it('[B37] each of 3,000 threads is whole or absent under eviction, and what is absent is written again once', async () => {
    const store = open(server, { logger: { info() {}, warn() {}, error() {} } });
    const ids = Array.from({ length: threads }, (_, index) => `thread ${index}`);
    const input = 'x'.repeat(500);
    const whole = ['system: Be helpful.', `user: ${input}`, 'assistant: Done.'];
    const process = startProcess(store, [says('Done.')]);
    const used = Number(/used_memory:(\d+)/.exec(String(await server.command('INFO', 'memory')))?.[1]);
    await server.command('CONFIG', 'SET', 'maxmemory', String(used + 4_000_000));
    const results = await each(ids, (id) => process.agent(id).run(input));
    expect(results.filter(({ durable }) => !durable)).toEqual([]);

    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    const found = await each(ids, (id) => store.load(id));
    const left = found.filter((thread) => thread.found);
    for (const { state } of left) expect(lines(state.history)).toEqual(whole);
    const gone = ids.filter((_, index) => !found[index]?.found);
    expect(Math.min(gone.length, left.length)).toBeGreaterThan(threads / 10);
    expect(await server.command('DBSIZE')).toBe(left.length);

    const again = gone.slice(0, 300);
    await each(again, (id) => process.agent(id).run(input));
    await each(again, async (id) => expect(lines((await loaded(store, id)).state.history)).toEqual(whole));
    expect(await server.command('DBSIZE')).toBe(left.length + again.length);
  }, 120_000);
});
