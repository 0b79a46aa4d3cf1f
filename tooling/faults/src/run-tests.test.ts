import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runTests } from './run-tests.ts';

const fixture = fileURLToPath(new URL('../test/fixture', import.meta.url));

const run = (files: readonly string[], ids: readonly string[]) => runTests(fixture, files, ids, 'ignore');

// Each starts a vitest, and other tests want the same processors.
describe('a run', { timeout: 100_000 }, () => {
  test('gives what became of the tests of these ids, and of no others', async () => {
    const { results, failed } = await run(['mixed', 'fine'], ['A1', 'A2', 'A3']);
    const told = results.map(({ title, state }) => `${title}: ${state}`).filter((line) => !line.startsWith('[A4]'));
    expect(told.toSorted()).toEqual([
      '[A1] [A2] passes: passed',
      '[A1] passes elsewhere: passed',
      '[A2] fails: failed',
      '[A3] a group is skipped: skipped',
      '[A3] a group passes: passed',
    ]);
    expect(failed).toBe(true);
  });

  test('that is fine says so, and what is not asked for makes no difference', async () => {
    const { results, failed } = await run(['mixed', 'fine'], ['A1']);
    expect(results.filter(({ state }) => state === 'passed')).toHaveLength(2);
    expect(failed).toBe(false);
  });

  test('has failed where a file could not be loaded', async () => {
    expect(await run(['broken'], ['A1'])).toEqual({ results: [], failed: true });
  });

  test('of no files is no run', async () => {
    expect(await run([], ['A1'])).toEqual({ results: [], failed: false });
  });
});
