import type { AgentEvent } from '@agent-state/core';
import { collectGarbage, type RedisServer } from '@agent-state/services';
import { describe, expect, it } from 'vitest';
import { calls, lines, says, startProcess, tool } from '../agent.ts';
import { loaded, revisionsOf } from '../stored.ts';
import { open, ownRedis } from './support.ts';

const redis = await ownRedis();
/** Half a minute where there is time for it. */
const flaps = process.env.AGENT_STATE_SOAK ? 60 : 10;
const period = { downMs: 200, upMs: 300 };
/** A load, a claim and five steps, where nothing goes wrong. */
const callsOfThread = 7;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Milliseconds that this process has computed since. */
function busySince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** How often the first thread went volatile: from then until the last one is back is one outage. */
function outagesIn(events: readonly AgentEvent[]): number {
  const volatile = new Set<string>();
  let outages = 0;
  for (const { type, threadId } of events) {
    if (type === 'volatile' && volatile.size === 0) outages += 1;
    if (type === 'volatile') volatile.add(threadId);
    if (type === 'rejoined') volatile.delete(threadId);
  }
  return outages;
}

describe.skipIf(!redis)('a Redis that is frozen for 200 ms of every 500 ms', () => {
  const server = redis as RedisServer;

  async function flap(): Promise<void> {
    for (let round = 0; round < flaps; round += 1) {
      server.freeze();
      await wait(period.downMs);
      server.thaw();
      await wait(period.upMs);
    }
  }

  async function scriptCalls(): Promise<number> {
    const stats = String(await server.command('INFO', 'commandstats'));
    return [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce(
      (sum, [, calls]) => sum + Number(calls),
      0,
    );
  }

  it('[B35] a store that comes and goes is one warning an outage, few calls, no growing memory, and has everything in the end', async () => {
    const store = open(server, { connectTimeoutMs: 100, commandTimeoutMs: 100 });
    const work = tool('work', () => wait(50).then(() => 'worked'));
    const agents = startProcess(store, [calls('work', {}), calls('work', {}), says('Done.')], [work], {
      storeCallMs: 100,
      storeBudgetMs: 150,
    });
    const ids: string[] = [];
    let flapping = true;
    async function keepRunning(name: string): Promise<void> {
      for (let count = 0; flapping; count += 1) {
        ids.push(`${name} ${count}`);
        await agents.agent(`${name} ${count}`).run('Go');
      }
    }
    const working = Promise.all(['a', 'b', 'c', 'd'].map(keepRunning));
    await wait(1_000);
    const [heap, cpu, begun] = [heapUsed(), process.cpuUsage(), performance.now()];
    await flap();
    flapping = false;
    await working;
    expect(await agents.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });

    const busyMs = busySince(cpu);
    const idleShare = 1 - busyMs / (performance.now() - begun);
    expect(agents.warnings.length).toBeGreaterThan(0);
    expect(agents.warnings).toHaveLength(outagesIn(agents.events));
    expect(idleShare).toBeGreaterThan(0.4);
    expect(await scriptCalls()).toBeLessThan(ids.length * callsOfThread * 2);
    expect(heapUsed() - heap).toBeLessThan(10_000_000);
    const reader = open(server);
    for (const id of ids) {
      const { state } = await loaded(reader, id);
      expect(lines(state.history)?.slice(1)).toEqual([
        'user: Go',
        'assistant: null',
        'tool: worked',
        'assistant: null',
        'tool: worked',
        'assistant: Done.',
      ]);
      expect(await revisionsOf(reader, id)).toHaveLength(5);
    }
  }, 120_000);
});
