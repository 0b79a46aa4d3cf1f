import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Checkpointer, type Runtime, systemRuntime } from '@agent-state/core';
import type { RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { open as openRedis, ownRedis } from '../redis/support.ts';
import { eachStore, folder } from './grounds.ts';
import { goOn } from './round.ts';
import { victimsOn } from './victims.ts';

const threeDays = 72 * 3_600_000;
const ttl = { ttlMs: 3_600_000, pausedTtlMs: 30 * 24 * 3_600_000 };
/** The clock of a process that is started three days from now. */
const later: Runtime = {
  ...systemRuntime,
  now: () => systemRuntime.now() + threeDays,
  monotonic: () => systemRuntime.monotonic() + threeDays,
};

/** A process that pauses for a person, and dies at that moment. */
async function dieWhilePaused(store: string, url: string): Promise<string> {
  const threadId = randomUUID();
  const ledger = join(folder, threadId);
  const order = { scenario: 'approval', threadId, ledger, begin: 'play', killAt: 'W5.acked', ttl } as const;
  const victim = await victimsOn(store, url).start(order);
  expect(await victim.end).toMatchObject({ killed: true, word: 'W5.acked' });
  return threadId;
}

/** Another process, three days later: the call is decided, and the run goes on to its end. */
async function decideLater(store: Checkpointer, threadId: string): Promise<void> {
  const fates = await goOn(store, { scenario: 'approval', threadId, by: 'play', options: { runtime: later } });
  expect(fates.map(({ call, before, after }) => [call, before, after])).toEqual([
    ['put 1', 1, 0],
    ['refund 1', 0, 1],
  ]);
}

describe.each(eachStore)('on $name', ({ name, url, open }) => {
  it.skipIf(url === undefined)(
    '[A6] killed while it is paused: three days later, by the clock of another process, a decision lets the run go on, and no tool runs again',
    async () => decideLater(open(), await dieWhilePaused(name, String(url))),
  );
});

const redis = await ownRedis();

it.skipIf(!redis)(
  '[A6] three days of a pause do not let a thread of one hour expire on Redis, and its hour counts again afterwards',
  async () => {
    const server = redis as RedisServer;
    const threadId = await dieWhilePaused('redis', server.url);
    const key = `agent_checkpoints:{${threadId}}`;
    const timeLeft = async () => Number(await server.command('PTTL', key));
    // The server's own clock cannot be set: as much time is taken from what the thread has left.
    await server.command('PEXPIRE', key, String((await timeLeft()) - threeDays));
    expect(await timeLeft()).toBeGreaterThan(0);
    await decideLater(openRedis(server), threadId);
    expect(await timeLeft()).toBeGreaterThan(ttl.ttlMs - 60_000);
    expect(await timeLeft()).toBeLessThanOrEqual(ttl.ttlMs);
  },
);
