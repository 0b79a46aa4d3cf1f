import type { ConformanceCase } from './case.ts';
import { cases as allCases } from './cases.ts';
import { type ExpectedFailure, type Verdict, verdictOf } from './expected.ts';
import { runCase } from './run-case.ts';
import type { ConformanceTarget } from './target.ts';

export interface ConformanceOptions {
  /** Cases that this target is known to fail. One that passes is a failure. */
  readonly expectedFailures?: readonly ExpectedFailure[];
  /** Default: the whole suite. */
  readonly cases?: readonly ConformanceCase[];
  /** The longest that a case may take, in milliseconds; default 60,000. */
  readonly timeoutMs?: number;
}

export type CaseResult = Verdict & { readonly id: string; readonly requirement: string; readonly ms: number };

export interface ConformanceReport {
  readonly target: string;
  readonly results: readonly CaseResult[];
  /** How many cases ended in each way. The target conforms if none `failed`. */
  readonly counts: Readonly<Record<Verdict['status'], number>>;
}

/** Runs the cases one after the other, each on a fresh backend, and never throws for what a case found. */
export async function runConformance(
  target: ConformanceTarget,
  { expectedFailures = [], cases = allCases, timeoutMs }: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const results: CaseResult[] = [];
  for (const subject of cases) {
    const started = performance.now();
    const outcome = await runCase(target, subject, timeoutMs);
    const { id, requirement } = subject;
    const ms = Math.round(performance.now() - started);
    results.push({ id, requirement, ms, ...verdictOf(id, outcome, expectedFailures) });
  }
  return { target: target.name, results, counts: countsOf(results) };
}

function countsOf(results: readonly CaseResult[]): ConformanceReport['counts'] {
  const counts = { passed: 0, failed: 0, skipped: 0, expected: 0 };
  for (const { status } of results) counts[status] += 1;
  return counts;
}
