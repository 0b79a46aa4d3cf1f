import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { createTextStore } from '../testing/text-store.ts';
import { chanceOf } from './chance.ts';
import { faultNames } from './fault.ts';
import { createFaultyCheckpointer } from './faulty-checkpointer.ts';

const rates = { refused: 0.2, late: 0.2, slow: 0.2 };
const draw = (seed: number, threads: readonly string[]) => {
  const chance = chanceOf(seed, rates, 100);
  return threads.map((threadId) => chance('save', threadId));
};
const threads = (...names: readonly string[]) =>
  Array.from({ length: 100 }, (_, index) => names[index % names.length] ?? '');

describe('faults by chance', () => {
  it('are the same for the same seed, and others for another', () => {
    expect(draw(1, threads('t'))).toEqual(draw(1, threads('t')));
    expect(draw(1, threads('t'))).not.toEqual(draw(2, threads('t')));
  });

  it('of one thread do not depend on the others', () => {
    const alone = draw(1, threads('t'));
    const beside = draw(1, threads('u', 't')).filter((_, index) => index % 2 === 1);
    expect(beside).toEqual(alone.slice(0, 50));
  });

  it('come as often as their rates say, with delays up to the longest', () => {
    const met = Array.from({ length: 20 }, (_, seed) => draw(seed, threads('t', 'u'))).flat();
    expect(met.filter((fault) => fault === undefined).length / 2_000).toBeCloseTo(0.4, 1);
    const late = met.flatMap((fault) => (typeof fault === 'object' && 'lateMs' in fault ? [fault.lateMs] : []));
    const slow = met.flatMap((fault) => (typeof fault === 'object' && 'slowMs' in fault ? [fault.slowMs] : []));
    for (const delays of [late, slow]) {
      expect(delays.length / 2_000).toBeCloseTo(0.2, 1);
      expect(Math.max(...delays)).toBeLessThanOrEqual(100);
      expect(new Set(delays).size).toBeGreaterThan(50);
    }
  });

  it('may be certain, all together', () => {
    const each = Object.fromEntries(faultNames.map((name) => [name, 0.1]));
    expect(Array.from({ length: 500 }, (_, index) => chanceOf(index, each, 1)('load', 't'))).not.toContain(undefined);
  });

  it('may add up to 1 as computers add', () => {
    expect(() => chanceOf(1, { refused: 0.05, applied: 0.55, lost: 0.3, late: 0.1 }, 1)).not.toThrow();
  });

  it.each([[{ refused: 1.1 }], [{ lost: -0.1 }], [{ lost: Number.NaN }], [{ refused: 0.6, lost: 0.6 }]])(
    'are no chance: %j',
    (wrong) => expect(() => chanceOf(1, wrong, 1)).toThrow(TypeError),
  );
});

describe('the seed', () => {
  const inner = defineCheckpointer(createTextStore());

  it('stands in the messages of the errors', async () => {
    const faulty = createFaultyCheckpointer(inner, { rates: { refused: 1 }, seed: 42 });
    await expect(faulty.load('t')).rejects.toThrow(/refused.*seed 42/);
    expect(faulty.seed).toBe(42);
    expect(faulty.injected.refused).toBe(1);
  });

  it('is drawn where none is given, and can be given again', async () => {
    const { seed } = createFaultyCheckpointer(inner, { rates });
    expect(Number.isSafeInteger(seed)).toBe(true);
    expect(createFaultyCheckpointer(inner, { rates, seed: seed ?? 0 }).seed).toBe(seed);
  });

  it('is not there where nothing is left to chance', () => {
    expect(createFaultyCheckpointer(inner, { seed: 1 }).seed).toBeUndefined();
  });
});
