import { join } from 'node:path';
import { root } from './root.mjs';
import { step } from './step.mjs';
import { test } from './test.mjs';

const turbo = (tasks, args = [], options = {}) =>
  step('turbo', ['run', ...tasks, '--output-logs=errors-only', ...args], options);

/** Each task's name and what runs it; all of them run, so that one failure does not hide the next. */
const checks = [
  ['build, lint, types and packages', () => turbo(['build', 'lint', 'types', 'package-checks'], ['--continue'])],
  ['unused code and dependencies', () => step('knip', ['--no-config-hints'])],
  ['rules of the repository', () => step(process.execPath, [join(root, 'tooling/checks/main.mjs')])],
];

/** Gives the names of the checks that failed. */
async function failedChecks() {
  const failed = [];
  for (const [name, run] of checks) {
    if ((await run()) !== 0) failed.push(name);
  }
  if (failed.length > 0) process.stderr.write(`\nfailed: ${failed.join('; ')}\n`);
  return failed;
}

/**
 * Builds one of our programs, silently, and runs it where the user called from, so that relative paths are theirs.
 * @param {string} project
 * @param {string} file
 * @param {readonly string[]} filter what has to be built; nothing: everything
 */
const program =
  (project, file, filter = [`--filter=@agent-state/${project.split('/').at(-1)}`]) =>
  async (args) => {
    const built = await turbo(['build'], filter, { quiet: true });
    if (built !== 0) return built;
    return step(process.execPath, [join(root, project, file), ...args], { cwd: process.env.INIT_CWD ?? process.cwd() });
  };

/** @type {Record<string, (args: string[]) => Promise<number>>} */
export const commands = {
  demo: program('apps/support-bot', 'dist/demo.js'),
  test: async (args) => test(await failedChecks(), args),
  build: (args) => turbo(['build'], args),
  check: async () => ((await failedChecks()).length > 0 ? 1 : 0),
  replay: program('tooling/replay', 'dist/main.js'),
  cost: program('tooling/bench', 'dist/cost.js'),
  // Some of the tests that it runs are about the packages as they are published.
  faults: program('tooling/faults', 'dist/main.js', []),
  conformance: program('packages/conformance', 'dist/command.js'),
  simulate: program('tooling/simulator', 'dist/main.js'),
};
