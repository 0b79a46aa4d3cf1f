import { writeFileSync } from 'node:fs';
import { countResults, summaryLine } from './src/summary.mjs';

/**
 * Hands the counts to the runner, which prints them after everything else; a vitest that was started by hand prints
 * them itself.
 */
export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors, reason) {
    const counts = countResults(modules, unhandledErrors);
    // Where not even the servers could be set up, no test has failed, but nothing has passed either.
    if (reason === 'failed') counts.failed = Math.max(counts.failed, 1);
    const file = process.env.AGENT_STATE_SUMMARY;
    if (file) writeFileSync(file, JSON.stringify(counts));
    else process.once('exit', () => process.stdout.write(`${summaryLine(counts)}\n`));
  }
}
