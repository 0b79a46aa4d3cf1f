import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Report } from './simulate.ts';
import type { Batch } from './worker.ts';

/** Goes through batches on all cores until there are no more, or `heard` has heard enough. */
export async function runBatches(
  batches: Iterable<Batch>,
  heard: (reports: readonly Report[]) => 'enough' | undefined,
): Promise<void> {
  const waiting = batches[Symbol.iterator]();
  let enough = false;
  const next = (): Batch | undefined => (enough ? undefined : (waiting.next().value as Batch | undefined));
  const workers = Array.from({ length: availableParallelism() }, () =>
    work(next, (reports) => {
      enough ||= heard(reports) === 'enough';
    }),
  );
  await Promise.all(workers);
}

/** One worker: a batch at a time. */
function work(next: () => Batch | undefined, heard: (reports: readonly Report[]) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.js', import.meta.url));
    const more = (): void => {
      const batch = next();
      if (batch) worker.postMessage(batch);
      else void worker.terminate().then(() => resolve(), reject);
    };
    worker.on('error', reject);
    worker.on('message', (reports: readonly Report[]) => {
      heard(reports);
      more();
    });
    more();
  });
}

/** Small enough that a failure is told soon. */
const batchSize = 25;

export function* batchesOf(from: number, count: number, rest: Omit<Batch, 'from' | 'count'>): Generator<Batch> {
  for (let start = from; start < from + count; start += batchSize) {
    yield { ...rest, from: start, count: Math.min(batchSize, from + count - start) };
  }
}
