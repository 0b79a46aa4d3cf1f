import assert from 'node:assert/strict';
import type { Checkpointer, StepRecord } from '@agent-state/core';
import { refused, savedAndLoaded } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { state, step, user } from '../fixtures.ts';

/** Ten steps in four saves; what is stored of them. */
async function tenSteps(store: Checkpointer): Promise<StepRecord[]> {
  const stored: StepRecord[] = [];
  let base = await store.save('t', { state: state([user('a')]) });
  for (const count of [1, 2, 3, 4]) {
    const steps = Array.from({ length: count }, (_, index) => step(stored.length + index));
    base = await store.save('t', { state: state([user('a')]), base, appendedFrom: 1, steps });
    stored.push(...steps.map((record) => ({ ...record, revision: base.revision, generation: 0 })));
  }
  assert.equal(base.steps, 10);
  return stored;
}

/** The records that lie beside the messages. */
export const steps = [
  defineCase({
    id: 'steps/appended',
    requirement: 'step records are kept in order, each with the revision and generation of its save',
    needs: ['steps'],
    run: async ({ store, open }) => {
      const stored = await tenSteps(store);
      assert.deepEqual(await store.steps('t'), stored);
      assert.deepEqual(await (await open()).steps('t'), stored);
    },
  }),
  defineCase({
    id: 'steps/window',
    requirement: 'from and limit choose a window of them, empty past the end',
    needs: ['steps'],
    run: async ({ store }) => {
      const stored = await tenSteps(store);
      assert.deepEqual(await store.steps('t', { from: 3 }), stored.slice(3));
      assert.deepEqual(await store.steps('t', { limit: 4 }), stored.slice(0, 4));
      assert.deepEqual(await store.steps('t', { from: 8, limit: 4 }), stored.slice(8));
      assert.deepEqual(await store.steps('t', { from: 2, limit: 1 }), stored.slice(2, 3));
      assert.deepEqual(await store.steps('t', { from: 10 }), []);
    },
  }),
  defineCase({
    id: 'steps/nothing',
    requirement: 'a thread that is not there has no steps',
    needs: ['steps'],
    run: async ({ store }) => assert.deepEqual(await store.steps('t'), []),
  }),
  defineCase({
    id: 'steps/fields',
    requirement: 'usage, variables and unknown fields of a step are kept',
    needs: ['steps'],
    run: async ({ store }) => {
      const usage = { input_tokens: 1, output_tokens: 2, cached: 3 };
      const record = { ...step(1), usage, variables: { a: { b: [] } }, extra: '$etag' };
      await store.save('t', { state: state([]), steps: [record] });
      assert.deepEqual(await store.steps('t'), [{ ...record, revision: 1, generation: 0 }]);
    },
  }),
  defineCase({
    id: 'steps/replace',
    requirement: 'replacing the history keeps the steps so far, and later ones carry the new generation',
    needs: ['steps'],
    run: async ({ store }) => {
      const stored = await tenSteps(store);
      const write = { state: state([user('new')]), steps: [step(10)] };
      const found = await savedAndLoaded(store, 't', write);
      assert.equal(found.steps, 11);
      assert.deepEqual(await store.steps('t'), [...stored, { ...step(10), revision: 6, generation: 1 }]);
    },
  }),
  defineCase({
    id: 'steps/refused-save',
    requirement: 'a refused save leaves no steps',
    needs: ['steps'],
    run: async ({ store }) => {
      const base = await store.save('t', { state: state([user('a')]) });
      await store.save('t', { state: state([user('a')]), base, appendedFrom: 1, steps: [step(1)] });
      const late = { state: state([user('a')]), base, appendedFrom: 1, steps: [step(8), step(9)] };
      await refused(store.save('t', late), 'conflict');
      assert.deepEqual(
        (await store.steps('t')).map(({ step }) => step),
        [1],
      );
    },
  }),
  defineCase({
    id: 'steps/options',
    requirement: 'odd limits and offsets are refused, the same on every store',
    needs: ['steps'],
    run: async ({ store }) => {
      for (const limit of [0, -1, 1.5, Number.NaN, 1_001, '2' as never, null as never]) {
        await refused(store.steps('t', { limit }), 'invalid_argument');
      }
      for (const from of [-1, 0.5, Number.NaN, '0' as never]) {
        await refused(store.steps('t', { from }), 'invalid_argument');
      }
    },
  }),
];
