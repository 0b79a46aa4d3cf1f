import { join } from 'node:path';
import type { Checkpointer, ThreadState } from '@agent-state/core';
import { expect } from 'vitest';
import { noteBase } from './base.ts';
import { type Fate, fates, fatesFrom, thoughtsFrom } from './fates.ts';
import { folder } from './grounds.ts';
import { countAsked, openLedger } from './ledger.ts';
import type { ScenarioName } from './scenarios.ts';
import { transcriptOf, unharmed, withUnknown } from './transcript.ts';
import type { Victims } from './victims.ts';
import { startWorld, type WorldOptions } from './world.ts';

export interface Round {
  readonly scenario: ScenarioName;
  readonly threadId: string;
  readonly killAt: number | string;
  /** Who goes on: whoever sends the same inputs again, or whoever resumes and sends them then. */
  readonly by: 'play' | 'resume';
  /** How it goes on. */
  readonly options?: Partial<WorldOptions>;
}

export interface Ended {
  /** Where the first process died; `ended` where it came to its end before. */
  readonly died: string;
  readonly fates: readonly Fate[];
}

/** One process dies on the thread, this one goes on, and all is as it has to be. */
export async function killAndGoOn(victims: Victims, store: Checkpointer, round: Round): Promise<Ended> {
  const { scenario, threadId, killAt, by } = round;
  const file = join(folder, threadId);
  const victim = await victims.start({ scenario, threadId, ledger: file, begin: 'play', killAt });
  const { killed, word } = await victim.end;
  expect(killed || word === 'ended', `the process ended with ${word}`).toBe(true);
  const where = `${word}, point ${killAt}, then ${by}`;
  return { died: word, fates: await goOn(store, { scenario, threadId, by }, where) };
}

/** What other processes began is brought to its end here, and compared with what it has to be. */
export async function goOn(
  store: Checkpointer,
  { scenario, threadId, by, options }: Omit<Round, 'killAt'>,
  where = `then ${by}`,
): Promise<readonly Fate[]> {
  const ledger = openLedger(join(folder, threadId));
  const before = ledger.read();
  const noted = noteBase(store);
  const world = startWorld(noted.store, { scenario, threadId, ledger, ...options });
  if (by === 'resume') await world.resume();
  await world.play();

  const state = (await world.threads.get(threadId)) as ThreadState;
  const all = ledger.read();
  const base = noted.base();
  const acknowledged = Math.max(0, ...before.flatMap((entry) => ('saved' in entry ? [entry.saved] : [])));
  expect(base?.revision ?? 0, `${where}: revision`).toBeGreaterThanOrEqual(acknowledged);
  const fate = fates(scenario, state, all, process.pid);
  expect(fate, where).toEqual(fatesFrom(scenario, base?.state, before));
  const unknown = fate.flatMap((call) => (call.unknown ? [call.call] : []));
  expect(transcriptOf(state, await world.threads.steps(threadId)), where).toEqual(
    withUnknown(await unharmed(scenario), scenario, unknown),
  );
  const asked = countAsked(all.filter(({ by }) => by === process.pid));
  expect(asked, `${where}: the model was asked`).toBe(thoughtsFrom(scenario, base?.state));
  return fate;
}
