import type { ThreadState } from '@agent-state/core';
import { type Entry, effectsIn } from './ledger.ts';
import { callsOf, type ScenarioName, scenarios } from './scenarios.ts';

/** What became of a call. */
export interface Fate {
  readonly call: string;
  /** How often it took effect: by the processes that died, and by the one that went on. */
  readonly before: number;
  readonly after: number;
  /** How many keys its effects had. */
  readonly keys: number;
  /** Whether the transcript says that nobody knows. */
  readonly unknown: boolean;
}

/** As the ledger and the transcript tell it; `me` is the process that went on. */
export function fates(scenario: ScenarioName, state: ThreadState, entries: readonly Entry[], me: number): Fate[] {
  const results = state.history.filter(({ role }) => role === 'tool');
  return callsOf(scenario).map((call, index) => {
    const lines = effectsIn(entries).filter(({ tool }) => tool === call);
    const after = lines.filter(({ by }) => by === me).length;
    const unknown = results[index]?.metadata?.outcome === 'unknown';
    return { call, before: lines.length - after, after, keys: new Set(lines.map(({ key }) => key)).size, unknown };
  });
}

/**
 * As it has to be by what was stored when a process went on after one that died. What has its result is not run again.
 * What may start once, and had started, is not either, and is unknown, whether it took effect or not. The rest is run,
 * under the key that it had.
 */
export function fatesFrom(scenario: ScenarioName, base: ThreadState | undefined, victims: readonly Entry[]): Fate[] {
  return callsOf(scenario).map((call, index) => {
    const before = effectsIn(victims).filter(({ tool }) => tool === call).length;
    const standing = standingOf(base, index);
    const after = standing === 'open' ? 1 : 0;
    return { call, before, after, keys: Math.min(1, before + after), unknown: standing === 'started' };
  });
}

function standingOf(base: ThreadState | undefined, index: number): 'settled' | 'started' | 'open' {
  const settled = base?.history.filter(({ role }) => role === 'tool').length ?? 0;
  if (index < settled) return 'settled';
  const call = base?.run?.calls[index - settled];
  if (call?.result) return 'settled';
  return call?.status === 'started' ? 'started' : 'open';
}

/** How often the model has yet to be asked: once for each of its messages that is not stored. */
export function thoughtsFrom(scenario: ScenarioName, base: ThreadState | undefined): number {
  return scenarios[scenario].turns.length - (base?.history.filter(({ role }) => role === 'assistant').length ?? 0);
}
