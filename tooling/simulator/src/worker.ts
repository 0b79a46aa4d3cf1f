import { parentPort } from 'node:worker_threads';
import type { Core } from './core.ts';
import type { Mode } from './modes.ts';
import { type Report, simulate } from './simulate.ts';
import { variants } from './variants.ts';

/** Some seeds for a worker to go through. */
export interface Batch {
  readonly from: number;
  readonly count: number;
  readonly mode: Mode | undefined;
  /** What to import in the place of the product, and the name of the variant. */
  readonly crippled?: { readonly url: string | undefined; readonly name: string } | undefined;
}

/** The seeds of a batch, one after the other. Between two of them the event loop turns once. */
export async function simulateBatch({ from, count, mode, crippled }: Batch): Promise<Report[]> {
  const core = (await import(crippled?.url ?? '@agent-state/core')) as Core;
  const storeRules = variants.find(({ name }) => name === crippled?.name)?.storeRules;
  const reports: Report[] = [];
  for (let seed = from; seed < from + count; seed += 1) {
    reports.push(await simulate(core, seed, { mode, storeRules }));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return reports;
}

parentPort?.on('message', (batch: Batch) => {
  void simulateBatch(batch).then((reports) => parentPort?.postMessage(reports));
});
