import { createHash } from 'node:crypto';
import { type Fault, type FaultName, faultNames } from './fault.ts';
import { assertFaultName } from './known.ts';

/** How likely each fault is for a call, from 0 to 1; together at most 1. */
export type FaultRates = Readonly<Partial<Record<FaultName, number>>>;

/** What by a seed befalls a call. */
export type Chance = (call: string, threadId: string) => Fault | undefined;

/**
 * The faults of a seed. Each depends on the seed, the call, its thread and how many such calls there were before, and
 * not on what other threads do meanwhile: the third save of a thread meets the same fault whatever runs beside it.
 */
export function chanceOf(seed: number, rates: FaultRates, longestMs: number): Chance {
  if (!Number.isFinite(seed)) throw new TypeError('seed has to be a number');
  const counts = new Map<string, number>();
  const bounds = boundsOf(rates);
  return (call, threadId) => {
    const which = JSON.stringify([call, threadId]);
    const count = (counts.get(which) ?? 0) + 1;
    counts.set(which, count);
    const [draw, delay] = drawn(JSON.stringify([seed, which, count]));
    const name = bounds.find(({ below }) => draw < below)?.name;
    return name && withDelay(name, Math.ceil(delay * longestMs));
  };
}

function boundsOf(rates: FaultRates): { name: FaultName; below: number }[] {
  if (typeof rates !== 'object' || rates === null) throw new TypeError('rates has to be an object');
  for (const name of Object.keys(rates)) assertFaultName(name);
  let below = 0;
  const bounds = faultNames.map((name) => {
    below += rateOf(name, rates[name] ?? 0);
    return { name, below };
  });
  // Floating point: rates that are 1 together may add up to a little more.
  if (below > 1 + 1e-9) throw new TypeError(`rates add up to ${below}: at most 1 is a chance`);
  return bounds;
}

function rateOf(name: FaultName, rate: number): number {
  if (!(typeof rate === 'number' && rate >= 0 && rate <= 1)) throw new TypeError(`rates.${name} has to be from 0 to 1`);
  return rate;
}

function withDelay(name: FaultName, ms: number): Fault {
  if (name === 'late') return { lateMs: ms };
  return name === 'slow' ? { slowMs: ms } : name;
}

/** Two numbers from 0 up to 1, always the same ones for the same words. */
function drawn(words: string): [number, number] {
  const digest = createHash('sha256').update(words).digest();
  return [digest.readUInt32BE(0) / 2 ** 32, digest.readUInt32BE(4) / 2 ** 32];
}
