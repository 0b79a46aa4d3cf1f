import { describe, it } from 'vitest';
import { cases as allCases } from './cases.ts';
import { verdictOf } from './expected.ts';
import type { ConformanceOptions } from './run.ts';
import { applicableCases, defaultTimeoutMs, runCase } from './run-case.ts';
import type { ConformanceTarget } from './target.ts';

/** Closing takes time too, after a case that took all of its own. */
const roomForClosingMs = 10_000;

/**
 * Declares one vitest test for each case that says something about the target's capabilities. The others are not
 * declared: a capability that is missing has cases of its own. Cases that wait for expiry run side by side.
 */
export function conformance(
  target: ConformanceTarget,
  { expectedFailures = [], cases = allCases, timeoutMs = defaultTimeoutMs }: ConformanceOptions = {},
): void {
  describe(`${target.name} conforms`, async () => {
    for (const subject of await applicableCases(target, cases)) {
      const { id, requirement, waits = false } = subject;
      const options = { timeout: timeoutMs + roomForClosingMs, concurrent: waits };
      it(`${id} ${requirement}`, options, async ({ skip }) => {
        const verdict = verdictOf(id, await runCase(target, subject, timeoutMs), expectedFailures);
        if (verdict.status === 'failed') throw verdict.error;
        if (verdict.status === 'skipped') throw new Error(`The capabilities have changed: ${verdict.reason}.`);
        if (verdict.status === 'expected') skip(`expected to fail: ${verdict.reason}`);
      });
    }
  });
}
