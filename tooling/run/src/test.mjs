import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.mjs';
import { step } from './step.mjs';
import { summaryLine } from './summary.mjs';

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');

/**
 * Runs vitest once, for everything, and prints the counts as the very last line. A check that failed before counts
 * as a failure, and so does a run that failed without any test having failed.
 * @param {readonly string[]} failedChecks
 * @param {readonly string[]} args
 */
export async function test(failedChecks, args) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-run-'));
  const file = join(folder, 'summary.json');
  try {
    const code = await step(process.execPath, [vitest, 'run', ...args], { env: { AGENT_STATE_SUMMARY: file } });
    const counts = readCounts(file);
    const failed = Math.max(counts.failed, code === 0 ? 0 : 1) + failedChecks.length;
    process.stdout.write(`\n${summaryLine({ ...counts, failed })}\n`);
    return code === 0 && failed > 0 ? 1 : code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** No file: the run broke down before its end. */
function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
