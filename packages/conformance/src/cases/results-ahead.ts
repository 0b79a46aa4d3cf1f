import assert from 'node:assert/strict';
import type { Checkpointer } from '@agent-state/core';
import { loaded, savedAndLoaded } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { calling, openCall, run, state, toolResult, user } from '../fixtures.ts';

const asked = [user('go'), calling('first', 'second', 'third')];
const [first, second, third] = ['first', 'second', 'third'].map((tool) => toolResult(tool, `result of ${tool}`));

/** A state in Act with these results. */
const acting = (...results: ReturnType<typeof openCall>[]) =>
  state(asked, { run: run({ phase: 'act', calls: results }) });

/** Three calls are open, and the second and the third are answered, in the wrong order. */
async function twoOfThree(store: Checkpointer) {
  const planned = acting(openCall('first'), openCall('second'), openCall('third'));
  const base = await savedAndLoaded(store, 't', { state: planned });
  const thirdDone = acting(openCall('first'), openCall('second'), openCall('third', third));
  const next = await savedAndLoaded(store, 't', { state: thirdDone, base, appendedFrom: 2 });
  const bothDone = acting(openCall('first'), openCall('second', second), openCall('third', third));
  return savedAndLoaded(store, 't', { state: bothDone, base: next, appendedFrom: 2 });
}

/** Results of open calls, which are stored where their messages will be. */
export const resultsAhead = [
  defineCase({
    id: 'results-ahead/in-place',
    requirement: 'results saved ahead of their turn are loaded in their calls, and the history does not have them yet',
    run: async ({ store, open }) => {
      const found = await twoOfThree(store);
      assert.deepEqual([found.length, found.ahead], [2, [3, 4]]);
      assert.deepEqual(await loaded(await open(), 't'), found);
    },
  }),
  defineCase({
    id: 'results-ahead/settled',
    requirement: 'once all calls are settled the results are in the history, once and in call order',
    run: async ({ store }) => {
      const base = await twoOfThree(store);
      const history = [...asked, first, second, third] as typeof asked;
      const settled = state(history, { current_step: 2, run: run({ phase: 'think', calls: [] }) });
      const found = await savedAndLoaded(store, 't', { state: settled, base, appendedFrom: 2 });
      assert.deepEqual([found.length, found.ahead, found.generation], [5, [], 0]);
      const longer = state([...history, user('next')], { run: run() });
      await savedAndLoaded(store, 't', { state: longer, base: found, appendedFrom: 5 });
    },
  }),
  defineCase({
    id: 'results-ahead/taken-over',
    requirement: 'another checkpointer settles what it loaded',
    run: async ({ store, open }) => {
      await twoOfThree(store);
      const other = await open();
      const base = await loaded(other, 't');
      const results = base.state.run?.calls.map(({ result }) => result ?? first) as typeof asked;
      const settled = { ...base.state, history: [...base.state.history, ...results], run: run() };
      await savedAndLoaded(other, 't', { state: settled, base, appendedFrom: 2 });
      assert.deepEqual((await loaded(store, 't')).state.history, [...asked, first, second, third]);
    },
  }),
  defineCase({
    id: 'results-ahead/failed',
    requirement: 'a failed call keeps its result as a finished one does',
    run: async ({ store }) => {
      const failed = { ...openCall('first', first), status: 'failed' as const };
      const base = await savedAndLoaded(store, 't', { state: acting(failed) });
      assert.deepEqual(base.ahead, [2]);
    },
  }),
  defineCase({
    id: 'results-ahead/replaced',
    requirement: 'replacing the history drops the results that lay ahead of it',
    run: async ({ store }) => {
      const base = await twoOfThree(store);
      const replaced = await savedAndLoaded(store, 't', { state: state([user('new')], { run: run() }), base });
      assert.deepEqual(replaced.ahead, []);
      let position = replaced;
      for (let length = 1; length < 6; length += 1) {
        const history = [...position.state.history, user(`later ${length}`)];
        position = await savedAndLoaded(store, 't', { state: state(history), base: position, appendedFrom: length });
      }
    },
  }),
];
