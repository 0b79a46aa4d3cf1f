import assert from 'node:assert/strict';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { describe, expect, it } from 'vitest';
import { cases } from '../src/cases.ts';
import { runConformance } from '../src/run.ts';
import { runCase } from '../src/run-case.ts';
import { memoryTarget } from './memory-target.ts';

/** A target that counts what is made of it and what is closed. */
function counting() {
  const counts = { backends: 0, stores: 0, closedStores: 0, closedBackends: 0 };
  const target = {
    name: 'counting',
    create: async () => {
      counts.backends += 1;
      return {
        open: async () => {
          counts.stores += 1;
          const store = createMemoryCheckpointer();
          const close = async () => {
            counts.closedStores += 1;
            await store.close();
          };
          return { ...store, close };
        },
        close: async () => {
          counts.closedBackends += 1;
        },
      };
    },
  };
  return { counts, target };
}

const failing = {
  id: 'test/failing',
  requirement: 'fails',
  run: async ({ open }: { open: () => Promise<unknown> }) => {
    await open();
    assert.fail('on purpose');
  },
};

describe('a run', () => {
  it('gives every case a fresh backend and closes all of it, also when the case fails', async () => {
    const { counts, target } = counting();
    const passing = { id: 'test/passing', requirement: 'passes', run: async () => {} };
    const report = await runConformance(target, { cases: [failing, passing] });
    expect(report.results.map(({ status }) => status)).toEqual(['failed', 'passed']);
    expect(counts).toEqual({ backends: 2, stores: 3, closedStores: 3, closedBackends: 2 });
  });

  it('calls a case failed that does not end in time', async () => {
    const hanging = { id: 'test/hanging', requirement: 'hangs', run: () => new Promise<void>(() => {}) };
    const outcome = await runCase(memoryTarget, hanging, 50);
    expect(outcome.status === 'failed' && String(outcome.error)).toContain('more than 50 ms');
  });

  it('calls a case failed whose backend cannot be made, or cannot be closed', async () => {
    const passing = { id: 'test/passing', requirement: 'passes', run: async () => {} };
    const fault = async () => {
      throw new Error('no server');
    };
    const unmade = await runCase({ name: 'unmade', create: fault }, passing);
    expect(unmade).toMatchObject({ status: 'failed', error: { message: 'no server' } });
    const create = async () => ({ ...(await memoryTarget.create()), close: fault });
    const unclosed = await runCase({ name: 'unclosed', create }, passing);
    expect(unclosed).toMatchObject({ status: 'failed', error: { message: 'no server' } });
  });

  it('skips a case only for what the target does not offer, and says what', async () => {
    const run = async () => {};
    const subjects = [
      { id: 'a', requirement: '', needs: ['raw'] as const, run },
      { id: 'b', requirement: '', needs: ['durable'] as const, run },
      { id: 'c', requirement: '', lacks: 'steps' as const, run },
      { id: 'd', requirement: '', lacks: 'durable' as const, needs: ['steps'] as const, run },
    ];
    const { target } = counting();
    const { results, counts } = await runConformance(target, { cases: subjects });
    expect(results.map((result) => ('reason' in result ? result.reason : result.status))).toEqual([
      'the target has no raw()',
      'the checkpointer does not offer durable',
      'the checkpointer offers steps',
      'passed',
    ]);
    expect(counts).toEqual({ passed: 1, failed: 0, skipped: 3, expected: 0 });
  });
});

it('names each case once', () => {
  const ids = cases.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z-]+\/[\w.[\]-]+$/);
});
