import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('fixture', import.meta.url));
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));

/** The last line of a run of these files. */
function lastLine(...files) {
  const { AGENT_STATE_SUMMARY: _, ...env } = process.env;
  const run = spawnSync(process.execPath, [vitest, 'run', '--root', root, ...files], { encoding: 'utf8', env });
  return run.stdout.trimEnd().split('\n').at(-1);
}

test('tests that are to be written count as skipped', () => {
  expect(lastLine('mixed')).toBe('2 passed, 1 failed, 2 skipped');
});

test('what fails outside of tests counts as failed: a file, a hook, an error that nobody caught', () => {
  expect(lastLine('broken')).toBe('0 passed, 1 failed, 0 skipped');
  expect(lastLine('hook')).toBe('1 passed, 1 failed, 0 skipped');
  expect(lastLine('uncaught')).toBe('1 passed, 1 failed, 0 skipped');
});
