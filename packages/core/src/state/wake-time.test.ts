import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWakeTime, toWakeTime } from './wake-time.ts';

const first = Date.UTC(-1, 11, 31, 24);
const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const instants = fc.integer({ min: first, max: last });

describe('a wake time', () => {
  it('sorts as text as it does in time', () => {
    fc.assert(
      fc.property(instants, instants, (a, b) => {
        const [one, other] = [toWakeTime(a) as string, toWakeTime(b) as string];
        expect(one < other).toBe(a < b);
        expect([one, other].every(isWakeTime)).toBe(true);
      }),
    );
  });

  it('has years of four digits', () => {
    expect([first, last].map(toWakeTime)).toEqual(['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']);
    expect([first - 1, last + 1, 8.64e15 + 1, Number.NaN].map(toWakeTime)).toEqual(Array(4).fill(undefined));
  });

  it.each([
    '2026-11-29T10:00:00Z',
    '2026-11-29T10:00:00.00Z',
    '2026-11-29T10:00:00.0000Z',
    '2026-11-29T10:00:00.000+00:00',
    '2026-11-29t10:00:00.000z',
    '2026-02-30T10:00:00.000Z',
    '2026-11-28T24:00:00.000Z',
    '+010000-01-01T00:00:00.000Z',
    '2026-11-29',
    'tomorrow',
    '',
  ])('is written in one way only: %j is none', (text) => {
    expect(isWakeTime(text)).toBe(false);
  });
});
