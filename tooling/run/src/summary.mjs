/** The last line of a test run, alone on its line, for people and for CI to read. */

/**
 * Failures outside tests count as well: a file that could not be loaded, a hook, an error that nobody caught.
 * @param {readonly import('vitest/node').TestModule[]} modules
 * @param {readonly unknown[]} unhandledErrors
 */
export function countResults(modules, unhandledErrors) {
  const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
  for (const module of modules) {
    let failedTests = 0;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') counts.passed += 1;
      else if (state === 'failed') failedTests += 1;
      else counts.skipped += 1;
    }
    counts.failed += failedTests || (module.ok() ? 0 : 1);
  }
  return counts;
}

/** @param {{ passed: number, failed: number, skipped: number }} counts */
export const summaryLine = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;
