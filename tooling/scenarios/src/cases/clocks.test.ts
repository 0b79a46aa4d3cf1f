import { randomUUID } from 'node:crypto';
import { createThreads, type Runtime, systemRuntime } from '@agent-state/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { says, startProcess } from '../agent.ts';
import { opened, stores } from '../stores.ts';

const instant = Date.UTC(2026, 2, 29, 1, 30, 0, 5);
const at = (now: number): Runtime => ({ ...systemRuntime, now: () => now });
/** Each with how many minutes it is behind UTC in winter. */
const zones = [
  ['America/New_York', 300],
  ['Asia/Kolkata', -330],
  ['UTC', 0],
] as const;

/** For this process, until the test is over. */
function setZone([zone, offset]: (typeof zones)[number]): void {
  process.env.TZ = zone;
  expect(new Date(Date.UTC(2026, 0)).getTimezoneOffset()).toBe(offset);
}

describe.each(stores)('on %s', (_name, openStore) => {
  it('[S-CLK-01] a time is one instant, whatever the zones of the machines that write and read it', async () => {
    const before = process.env.TZ;
    onTestFinished(() => {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    });
    const threadIds = zones.map(() => randomUUID());
    for (const [index, zone] of zones.entries()) {
      setZone(zone);
      const agent = startProcess(opened(openStore), [says('One.')], [], { runtime: at(instant) }).agent(
        threadIds[index],
      );
      await agent.run('First');
    }
    for (const zone of zones) {
      setZone(zone);
      const threads = createThreads(opened(openStore));
      for (const threadId of threadIds) {
        expect((await threads.get(threadId))?.updated_at).toBe('2026-03-29T01:30:00.005Z');
      }
    }
  });

  it('[S-CLK-02] a clock that steps back changes neither which save is the later one nor the order of times', async () => {
    const threadId = randomUUID();
    const store = opened(openStore);
    const turns = [says('One.'), says('Two.')];
    for (const [now, input] of [
      [instant, 'First'],
      [instant - 3_600_000, 'Second'],
    ] as const) {
      await startProcess(store, turns, [], { runtime: at(now) })
        .agent(threadId)
        .run(input);
    }
    const state = await createThreads(opened(openStore)).get(threadId);
    expect(state?.history.at(-1)?.content).toBe('Two.');
    expect(state?.updated_at).toBe('2026-03-29T01:30:00.005Z');
  });
});
