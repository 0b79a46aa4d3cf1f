import { idsIn } from './ids.ts';

/** A test that ran, or should have. */
export interface Result {
  /** With those of the groups around it. */
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly ms: number;
}

export interface Verdict {
  readonly state: 'holds' | 'fails' | 'skipped' | 'no test';
  readonly tests: number;
  readonly ms: number;
}

/** A row holds if there is a test for it, and all of them ran and passed. */
export function verdictOf(id: string, results: readonly Result[]): Verdict {
  const own = results.filter(({ title }) => idsIn(title).includes(id));
  const ms = Math.round(own.reduce((sum, result) => sum + result.ms, 0));
  return { state: stateOf(own.map(({ state }) => state)), tests: own.length, ms };
}

function stateOf(states: readonly Result['state'][]): Verdict['state'] {
  if (states.length === 0) return 'no test';
  if (states.includes('failed')) return 'fails';
  return states.includes('skipped') ? 'skipped' : 'holds';
}

/** Ids that a title names and nobody knows. */
export const unknownIds = (titles: readonly string[], known: readonly { readonly id: string }[]): string[] => {
  const ids = new Set(known.map(({ id }) => id));
  return [...new Set(titles.flatMap(idsIn))].filter((id) => !ids.has(id));
};
