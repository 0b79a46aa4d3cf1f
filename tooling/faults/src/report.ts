import type { Case } from './case.ts';
import { grounds, type Row } from './row.ts';
import { type Result, verdictOf } from './verdict.ts';

export interface Report {
  /** One for each row, and the sum at the end. */
  readonly lines: readonly string[];
  readonly allHold: boolean;
}

/** What is said of these rows and cases after a run. */
export function reportOn(entries: readonly (Row | Case)[], results: readonly Result[]): Report {
  const told = entries.map((entry) => tell(entry, results));
  const holding = told.filter(({ holds }) => holds).length;
  const sum = `${holding} of ${entries.length} hold`;
  return { lines: [...told.map(({ line }) => line), sum], allHold: holding === entries.length };
}

function tell(entry: Row | Case, results: readonly Result[]): { line: string; holds: boolean } {
  const { state, tests, ms } = verdictOf(entry.id, results);
  const id = entry.id.padEnd(8);
  if ('reason' in entry && state === 'no test') {
    return { line: `${id}  holds    ${entry.title}  does not apply: ${entry.reason}`, holds: true };
  }
  const on = 'on' in entry ? `(${grounds(entry)})  ` : '';
  const ran = tests === 0 ? '' : `  ${tests} ${tests === 1 ? 'test' : 'tests'}, ${ms} ms`;
  return { line: `${id}  ${state.padEnd(7)}  ${on}${entry.title}${ran}`, holds: state === 'holds' };
}
