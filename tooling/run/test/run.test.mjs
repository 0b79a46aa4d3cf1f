import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isAtLeast } from '../src/need-node.mjs';
import { pinnedPnpm } from '../src/pnpm.mjs';
import { step } from '../src/step.mjs';

test.each([
  ['20.19.0', true],
  ['20.20.2', true],
  ['22.0.0', true],
  ['20.18.9', false],
  ['18.99.0', false],
])('Node %s is new enough: %s', (version, enough) => {
  expect(isAtLeast(version, '20.19')).toBe(enough);
});

test('the pinned pnpm is a plain version', () => {
  expect(pinnedPnpm()).toMatch(/^\d+\.\d+\.\d+$/);
});

test('an unknown command is answered with the known ones', () => {
  const runner = fileURLToPath(new URL('../run.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [runner, 'nonsense'], { encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toContain('demo|test|build|check');
});

test('a step gives the exit code of its program', async () => {
  expect(await step(process.execPath, ['-e', 'process.exit(7)'], { quiet: true })).toBe(7);
});
