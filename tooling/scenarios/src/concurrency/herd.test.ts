import type { Checkpointer, RunResult, ThreadState } from '@agent-state/core';
import { createFaultyCheckpointer, createVirtualRuntime } from '@agent-state/core/testing';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { collectGarbage, type RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { calls, createGate, lines, says, startProcess, told, tool } from '../agent.ts';
import { open, ownRedis } from '../redis/support.ts';
import { loaded } from '../stored.ts';

const redis = await ownRedis();
const threads = 1_000;
/** A minute where there is time for it. */
const downMs = process.env.AGENT_STATE_SOAK ? 60_000 : 2_000;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function expectWhole({ history, current_step, run }: ThreadState): void {
  expect(lines(history)?.slice(1)).toEqual(['user: Go', 'assistant: null', 'tool: worked', 'assistant: Done.']);
  expect([current_step, run?.phase]).toEqual([3, 'done']);
}

/** A store whose saves are counted while they are on their way. */
function watched(store: Checkpointer) {
  const seen = { underWay: 0, most: 0, all: 0 };
  const save: Checkpointer['save'] = async (threadId, write) => {
    seen.underWay += 1;
    seen.all += 1;
    seen.most = Math.max(seen.most, seen.underWay);
    try {
      return await store.save(threadId, write);
    } finally {
      seen.underWay -= 1;
    }
  };
  return { store: { ...store, save }, seen };
}

it('[F5] threads whose store is down for a minute try it now and then, each at moments of its own, and all come back', async () => {
  const count = 100;
  const virtual = createVirtualRuntime();
  // All lose the store in the same instant; then chances look like chances, and are the same every time.
  let chance: number | undefined;
  const random = () => {
    if (chance === undefined) return 0.5;
    chance = (chance + 0.618_034) % 1;
    return chance;
  };
  const runtime = { ...virtual, random };
  const memory = createMemoryCheckpointer({ runtime });
  const faulty = createFaultyCheckpointer(memory, { runtime });
  const savedAt: number[] = [];
  const save: Checkpointer['save'] = (threadId, write) => {
    savedAt.push(virtual.monotonic());
    return faulty.save(threadId, write);
  };
  const down = tool('work', () => faulty.down() ?? 'worked');
  const agents = startProcess({ ...faulty, save }, [calls('work', {}), says('Done.')], [down], { runtime });
  const ids = Array.from({ length: count }, (_, index) => `herd ${index}`);
  await virtual.until(Promise.all(ids.map((id) => agents.agent(id).run('Go'))));
  expect(agents.warnings).toHaveLength(1);
  savedAt.splice(0);
  chance = 0;
  await virtual.advance(60_000);
  // From half a second on, doubled up to 8 seconds: hardly ten times.
  expect(savedAt.length).toBeLessThan(count * 15);
  expect(savedAt.length).toBeGreaterThan(count * 5);
  faulty.up();
  savedAt.splice(0);
  await virtual.advance(12_000);
  expect([savedAt.length, new Set(savedAt).size]).toEqual([count, count]);
  expect(agents.warnings).toHaveLength(1);
  for (const id of ids) expectWhole((await loaded(memory, id)).state);
});

describe.skipIf(!redis)('a Redis that is frozen', () => {
  const server = redis as RedisServer;

  it(`[F5] while ${threads} threads are at work: they go on in memory that does not grow, and come back a few at a time`, async () => {
    const { store, seen } = watched(open(server, { connectTimeoutMs: 900, commandTimeoutMs: 900 }));
    const frozen = createGate();
    let atWork = 0;
    const work = tool('work', async () => {
      atWork += 1;
      await frozen.passed;
      return 'worked';
    });
    const turns = [calls('work', {}), says('Done.')];
    const agents = startProcess(store, turns, [work], { storeCallMs: 1_000, storeBudgetMs: 1_200 });
    const ids = Array.from({ length: threads }, (_, index) => `herd ${index}`);
    const runs: Promise<RunResult>[] = [];
    // In groups, for nobody is to be late before the store is.
    while (runs.length < threads) {
      const group = ids.slice(runs.length, runs.length + 50);
      runs.push(...group.map((id) => agents.agent(id).run('Go')));
      await expect.poll(() => atWork, { timeout: 20_000, interval: 5 }).toBe(runs.length);
    }
    expect(told(agents)).toEqual([]);
    server.freeze();
    frozen.open();
    expect((await Promise.all(runs)).filter(({ durable }) => durable)).toEqual([]);
    expect(agents.warnings).toHaveLength(1);

    const heap = heapUsed();
    Object.assign(seen, { most: 0, all: 0 });
    await wait(downMs);
    expect(heapUsed() - heap).toBeLessThan(2_000_000);
    expect(seen.most).toBeLessThanOrEqual(16);
    server.thaw();
    expect(await agents.close({ deadlineMs: 60_000 })).toEqual({ unsaved: [] });
    expect(seen.most).toBeLessThanOrEqual(16);
    expect(agents.warnings).toHaveLength(1);
    expect(told(agents).sort()).toEqual([...ids.map(() => 'rejoined'), ...ids.map(() => 'volatile')]);

    const reader = open(server, { commandTimeoutMs: 10_000 });
    for (const id of ids) expectWhole((await loaded(reader, id)).state);
  }, 120_000);
});
