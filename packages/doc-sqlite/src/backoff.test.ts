import { expect, it } from 'vitest';
import { pauseBefore } from './backoff.ts';

it('waits twice as long before each retry, up to 50 ms', () => {
  expect([0, 1, 2, 3, 4, 5, 1_000].map((retry) => pauseBefore(retry, 1))).toEqual([2, 4, 8, 16, 32, 50, 50]);
});

it('waits at least half of that, by chance', () => {
  expect([0, 0.5, 1].map((random) => pauseBefore(10, random))).toEqual([25, 37.5, 50]);
});
