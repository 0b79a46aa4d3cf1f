import { describe, it } from 'vitest';
import { cases as allCases } from './cases.ts';
import { verdictOf } from './expected.ts';
import type { ConformanceOptions } from './run.ts';
import { defaultTimeoutMs, runCase } from './run-case.ts';
import type { ConformanceTarget } from './target.ts';

/** Closing takes time too, after a case that took all of its own. */
const roomForClosingMs = 10_000;

/** Declares one vitest test for each case of the suite. */
export function conformance(
  target: ConformanceTarget,
  { expectedFailures = [], cases = allCases, timeoutMs = defaultTimeoutMs }: ConformanceOptions = {},
): void {
  describe(`${target.name} conforms`, () => {
    for (const subject of cases) {
      const { id, requirement } = subject;
      it(`${id} ${requirement}`, { timeout: timeoutMs + roomForClosingMs }, async ({ skip }) => {
        const verdict = verdictOf(id, await runCase(target, subject, timeoutMs), expectedFailures);
        if (verdict.status === 'failed') throw verdict.error;
        if (verdict.status === 'skipped') skip(verdict.reason);
        if (verdict.status === 'expected') skip(`expected to fail: ${verdict.reason}`);
      });
    }
  });
}
