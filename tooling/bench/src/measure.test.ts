import { expect, test } from 'vitest';
import { bytesAround } from './measure.ts';

const saves = (count: number, bytes: (step: number) => number) =>
  Array.from({ length: count }, (_, step) => ({ step, calls: 1, bytes: bytes(step) }));

test('a step costs half of a Think and its Act, which differ', () => {
  const bytes = (step: number) => (step % 2 === 1 ? 300 : 100);
  expect(bytesAround(20, saves(30, bytes))).toBe(200);
});

test('one save that also does something else does not change it', () => {
  expect(
    bytesAround(
      20,
      saves(30, (step) => (step === 19 ? 9_000 : 100)),
    ),
  ).toBe(100);
});

test('a loop that ends before has no such step', () => {
  expect(
    bytesAround(
      400,
      saves(402, () => 1),
    ),
  ).toBeNull();
});
