import type { Logger } from '@agent-state/core';
import { isMissing } from '@agent-state/services';
import { describe, expect, onTestFinished, test } from 'vitest';
import { costOf } from './cost-of.ts';
import { startMeasured } from './stores/start.ts';
import type { StoreName } from './stores/store.ts';

const steps = 501;

async function measured(name: StoreName, skip: (why: string) => never, length = steps) {
  const store = await startMeasured(name);
  if (isMissing(store)) return skip(store.missing);
  onTestFinished(() => store.stop());
  const warnings = new Set<string>();
  const warn: Logger['warn'] = (_fields, message) => void warnings.add(message);
  const cost = await costOf(name, store, { steps: length, logger: { info() {}, warn, error: warn } });
  return { ...cost, warnings: [...warnings] };
}

describe.each<[StoreName, { save: number; load: number }]>([
  ['sqlite', { save: 1, load: 1 }],
  ['redis', { save: 1, load: 1 }],
  ['mongo', { save: 1.1, load: 2 }],
])('a thread of 501 steps and 1.1 MB on %s', (name, calls) => {
  test('[S-PER-01] costs what its new messages cost, and is held once', { timeout: 120_000 }, async ({ skip }) => {
    const cost = await measured(name, skip);
    expect(cost.callsPerSave).toBeGreaterThanOrEqual(1);
    expect(cost.callsPerSave).toBeLessThanOrEqual(calls.save);
    expect(cost.callsPerLoad).toBeGreaterThanOrEqual(1);
    expect(cost.callsPerLoad).toBeLessThanOrEqual(calls.load);
    // Less than the messages themselves cannot have been sent.
    expect(cost.bytesAtStep20).toBeGreaterThan(2_048);
    const growth = Number(cost.bytesAtStep400) / Number(cost.bytesAtStep20);
    expect(Math.abs(growth - 1)).toBeLessThan(0.05);
    expect(cost.bytesSent).toBeGreaterThan(1_080_000);
    expect(cost.bytesSent).toBeLessThanOrEqual(1_800_000);
    expect(cost.bytesKept).toBeGreaterThan(1_080_000);
    expect(cost.bytesKept).toBeLessThan(2_500_000);
    expect(cost.warnings).toEqual([]);
  });
});

test('a store that writes the whole thread with every save is seen to', { timeout: 120_000 }, async ({ skip }) => {
  const cost = await measured('kv', skip, 101);
  expect(cost.bytesSent).toBeGreaterThan(101 * 50 * 2_048);
  expect(cost.warnings).toEqual([expect.stringContaining('cannot compare and save in one step')]);
});

test('memory sends nothing, and keeps the thread; a short loop has no step 400', async ({ skip }) => {
  const cost = await measured('memory', skip, 51);
  expect(cost).toMatchObject({
    callsPerSave: 0,
    callsPerLoad: 0,
    bytesSent: 0,
    bytesAtStep20: 0,
    bytesAtStep400: null,
    warnings: [],
  });
  expect(cost.bytesKept).toBeGreaterThan(51 * 2_048);
});

test('the same loop costs the same again', async ({ skip }) => {
  const costs = [await measured('redis', skip, 51), await measured('redis', skip, 51)];
  const [first = 0, second = 0] = costs.map(({ bytesSent }) => bytesSent);
  // Owner and times are of different lengths.
  expect(Math.abs(first - second)).toBeLessThan(52 * 10);
});
