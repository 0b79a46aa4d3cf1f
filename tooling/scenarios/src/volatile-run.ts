import { randomUUID } from 'node:crypto';
import type { AgentService, Checkpoint } from '@agent-state/core';
import { expect } from 'vitest';
import { calls, lines, type Recorded, says, startProcess, told, tool } from './agent.ts';
import { deadlines, longestMs } from './deadlines.ts';
import type { FragileStore } from './outages.ts';
import { overheard } from './overheard.ts';
import { loaded, revisionsOf } from './stored.ts';
import { wholeHistory } from './troubled.ts';

export type Trouble = Pick<FragileStore, 'open' | 'breakIt' | 'mend'>;

/** A run that went on in memory, and has ended. */
export interface VolatileRun extends Trouble {
  readonly threadId: string;
  readonly agent: AgentService;
  readonly process: Recorded & Pick<ReturnType<typeof startProcess>, 'close'>;
  /** The tools that were run, in order. */
  readonly ran: readonly string[];
  /** What the store has failed with so far. */
  readonly failures: readonly unknown[];
}

const turns = [calls('break', {}), calls('work', {}), says('Done.')];

/** A run in whose first tool the store breaks: it answers within its deadlines and says once that it is not durable. */
export async function runInto(trouble: Trouble): Promise<VolatileRun> {
  const threadId = randomUUID();
  const ran: string[] = [];
  const breaking = tool('break', async () => {
    ran.push('break');
    await trouble.breakIt();
    return 'broken';
  });
  const working = tool('work', () => {
    ran.push('work');
    return 'worked';
  });
  const failures: unknown[] = [];
  const store = overheard(trouble.open(), async (error) => failures.push(error));
  const process = startProcess(store, turns, [breaking, working], deadlines);
  const agent = process.agent(threadId);
  const begun = performance.now();
  expect(await agent.run('Go')).toMatchObject({ answer: 'Done.', durable: false });
  expect(performance.now() - begun).toBeLessThan(longestMs + 2_000);
  expect(agent.status()).toEqual({ running: false, durable: false, volatile: true, unsavedSteps: 4 });
  expect(process.warnings).toHaveLength(1);
  expect(told(process)).toEqual(['volatile']);
  return { ...trouble, threadId, agent, process, ran, failures };
}

/** Mends the store: what was in memory only is stored once and whole, without another word or another tool run. */
export async function comeBack(outage: VolatileRun): Promise<Checkpoint> {
  const { process, agent, ran, threadId } = outage;
  await outage.mend();
  expect(await process.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });
  expect(agent.status()).toMatchObject({ durable: true, volatile: false });
  expect(process.warnings).toHaveLength(1);
  expect(ran).toEqual(['break', 'work']);
  const stored = await loaded(outage.open(), threadId);
  expect(lines(stored.state.history)).toEqual(wholeHistory);
  expect(stored.state.run).toMatchObject({ phase: 'done', owner: null, calls: [] });
  return stored;
}

/**
 * All of it, where the store is found to be still out of order before it is mended, and what it missed comes back in one
 * save. Gives the reason that the warning told.
 */
export async function surviveInOneSave(trouble: Trouble): Promise<unknown> {
  const outage = await runInto(trouble);
  const { length } = outage.failures;
  await expect.poll(() => outage.failures.length, { timeout: 10_000 }).toBeGreaterThan(length);
  await comeBack(outage);
  expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
  // One step had been stored when the store broke, by the second save; the third brought all others.
  expect(await revisionsOf(outage.open(), outage.threadId)).toEqual([2, 3, 3, 3, 3]);
  const [warning] = outage.process.warnings;
  return warning && 'cause' in warning.fields ? warning.fields.cause : undefined;
}
