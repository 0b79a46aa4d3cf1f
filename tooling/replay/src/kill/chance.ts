import { createHash } from 'node:crypto';

/** A whole number from 1 to `most`: always the same one for the same seed and words. */
export function chance(most: number, seed: number, ...words: readonly string[]): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...words]))
    .digest();
  return 1 + (digest.readUInt32BE(0) % Math.max(1, most));
}
