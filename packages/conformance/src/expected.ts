import type { CaseId } from './cases.ts';
import type { Outcome } from './run-case.ts';

/** A case that a target is known to fail, with the reason, so that it is said and not forgotten. */
export interface ExpectedFailure {
  readonly id: CaseId;
  readonly reason: string;
}

/** An outcome once what was expected is known: `expected` is a failure with a reason given beforehand. */
export type Verdict = Outcome | { readonly status: 'expected'; readonly reason: string; readonly error: unknown };

/** An expected failure that passes has become a failure: the entry has to go. */
export function verdictOf(id: string, outcome: Outcome, expected: readonly ExpectedFailure[]): Verdict {
  const entry = expected.find((candidate) => candidate.id === id);
  if (!entry || outcome.status === 'skipped') return outcome;
  if (outcome.status === 'failed') return { status: 'expected', reason: entry.reason, error: outcome.error };
  return {
    status: 'failed',
    error: new Error(`${id} passes now; remove it from the expected failures (it was: ${entry.reason}).`),
  };
}
