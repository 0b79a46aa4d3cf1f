import { expect, it } from 'vitest';
import { longestRetryAfterMs, pauseBefore, retryAfterMs } from './backoff.ts';

const again = { again: true };

it('waits twice as long before each retry, up to 8 seconds, and at least half of it by chance', () => {
  expect([0, 1, 2, 3, 4, 5].map((retry) => pauseBefore(retry, again, 1))).toEqual([
    500, 1_000, 2_000, 4_000, 8_000, 8_000,
  ]);
  expect([0, 1, 2].map((retry) => pauseBefore(retry, again, 0))).toEqual([250, 500, 1_000]);
});

it('waits for as long as the server asks, and not at all where that is over a minute', () => {
  expect(pauseBefore(0, { again: true, afterMs: 7_000 }, 0.5)).toBe(7_000);
  expect(pauseBefore(0, { again: true, afterMs: longestRetryAfterMs }, 0.5)).toBe(60_000);
  expect(pauseBefore(0, { again: true, afterMs: longestRetryAfterMs + 1 }, 0.5)).toBeUndefined();
});

it('does not retry what would fail again', () => {
  expect(pauseBefore(0, { again: false, afterMs: 1 }, 0.5)).toBeUndefined();
});

it.each([
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5_000],
  [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '120', 'retry-after': '9' }, 120],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{}, undefined],
])('reads %o', (headers, expected) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), Date.UTC(2026, 0, 1))).toBe(expected);
});
