import { writeFileSync } from 'node:fs';
import { countResults, summaryLine } from './summary.mjs';

/**
 * Reports to vitest's other reporters' company: the counts go to the file that the runner names, which prints them
 * after everything else; without a runner they are printed at once.
 */
export default class SummaryReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const line = summaryLine(countResults(modules, unhandledErrors));
    const file = process.env.AGENT_STATE_SUMMARY;
    if (file) writeFileSync(file, line);
    else process.once('exit', () => process.stdout.write(`${line}\n`));
  }
}
