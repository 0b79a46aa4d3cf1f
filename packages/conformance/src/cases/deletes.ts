import assert from 'node:assert/strict';
import type { Checkpointer } from '@agent-state/core';
import { absent, loaded, refused, savedAndLoaded } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { calling, openCall, run, state, step, toolResult, user } from '../fixtures.ts';

/** A thread that has everything: messages, variables, a result ahead and steps, with this text in each. */
const full = (text: string) => ({
  state: state([user(text), calling('tool')], {
    variables: { text },
    extra: text,
    run: run({ phase: 'act', calls: [openCall('tool', toolResult('tool', text))] }),
  }),
  steps: [{ ...step(1), variables: { text } }],
});

/** A thread that was there, with what its writer knew of it, and the absence that is there now. */
async function deleted(store: Checkpointer) {
  const nothing = await absent(store, 't');
  const before = await savedAndLoaded(store, 't', full('first life'));
  await store.delete('t');
  const after = await absent(store, 't');
  return { nothing, before, after };
}

/** What a delete removes, and what it keeps from coming back. */
export const deletes = [
  defineCase({
    id: 'deletes/absent',
    requirement: 'a deleted thread is absent for every checkpointer, its steps and its place in the listing too',
    run: async ({ store, open, capabilities }) => {
      await deleted(store);
      await absent(await open(), 't');
      if (capabilities.steps) assert.deepEqual(await store.steps('t'), []);
      if (capabilities.list) assert.deepEqual((await store.list()).threads, []);
    },
  }),
  defineCase({
    id: 'deletes/every-byte',
    requirement: '[S-DEL-01] a delete removes every byte of the thread',
    needs: ['raw'],
    run: async ({ store, raw }) => {
      const [text, other] = ['text-to-be-forgotten', 'text-to-be-kept'];
      let base = await store.save('t', full(text));
      const history = Array.from({ length: 300 }, (_, index) => user(`${text} ${index}`));
      base = await store.save('t', { state: state(history), base });
      const more = [...history, ...history];
      await store.save('t', { state: state(more), base, appendedFrom: 300, steps: full(text).steps });
      await store.save('other', full(other));
      assert((await raw()).includes(text), 'raw() does not show what is stored');
      await store.delete('t');
      const left = await raw();
      assert(!left.includes(text), 'what was deleted is still stored');
      assert(left.includes(other), 'what was not deleted is gone');
    },
  }),
  defineCase({
    id: 'deletes/fresh-life',
    requirement: 'a create after a delete begins a fresh life, without anything of the one before',
    run: async ({ store, capabilities }) => {
      const { before, after } = await deleted(store);
      const write = { state: state([user('second life')]), base: after, writeId: 'second' };
      const found = await savedAndLoaded(store, 't', write);
      assert.deepEqual([found.revision, found.generation, found.steps], [1, 0, 0]);
      assert.notEqual(found.life.born, before.life.born);
      assert.deepEqual(found.life, { born: 'second', after: after.tombstone });
      if (capabilities.steps) assert.deepEqual(await store.steps('t'), []);
    },
  }),
  defineCase({
    id: 'deletes/unconditional',
    requirement: 'a save without a base after a delete creates the thread afresh',
    run: async ({ store }) => {
      const { after } = await deleted(store);
      const found = await savedAndLoaded(store, 't', { state: state([user('again')]) });
      assert.deepEqual([found.revision, found.life.after], [1, after.tombstone]);
    },
  }),
  defineCase({
    id: 'deletes/repeated',
    requirement: 'deleting again, and deleting what never was, are done and leave nothing',
    run: async ({ store, open }) => {
      const other = await open();
      await deleted(store);
      await store.delete('t');
      await Promise.all([store.delete('t'), other.delete('t'), other.delete('never')]);
      await absent(store, 't');
      await absent(store, 'never');
      await savedAndLoaded(store, 'never', { state: state([]), base: await absent(other, 'never') });
    },
  }),
  defineCase({
    id: 'deletes/only-the-thread',
    requirement: '[S-SEC-03] a delete leaves threads alone whose ids begin alike or match it as a pattern',
    run: async ({ store }) => {
      const others = [
        't1',
        't2',
        't:1',
        't/1',
        't.1',
        'T',
        ' t',
        't ',
        't*',
        't?',
        't[12]',
        't\\1',
        '*',
        '%',
        't%',
        't_',
        '.',
        '^t',
      ];
      for (const id of ['t', ...others]) await store.save(id, { state: state([user(id)]), steps: [step(1)] });
      for (const id of ['t', 't*', 't?', 't[12]', '*', '%', 't%', 't_', '.', '^t']) {
        await store.delete(id);
        await absent(store, id);
      }
      for (const id of ['t1', 't2', 't\\1', 't:1', 't/1', 't.1', 'T', ' t', 't ']) {
        assert.deepEqual((await loaded(store, id)).state.history, [user(id)]);
      }
    },
  }),
  defineCase({
    id: 'deletes/without-tombstones',
    requirement: 'where tombstones are not offered, a deleted thread is absent as if it had never been',
    lacks: 'tombstones',
    run: async ({ store }) => {
      const { after, nothing } = await deleted(store);
      assert.deepEqual(after, { found: false, tombstone: null });
      await savedAndLoaded(store, 't', { state: state([user('again')]), base: nothing });
    },
  }),
  defineCase({
    id: 'deletes/old-base-refused',
    requirement: 'a save on a base from before the delete is no save, whatever it is called',
    run: async ({ store }) => {
      const { before, after } = await deleted(store);
      const write = { state: state([user('back')]), base: before };
      await refused(store.save('t', write), after.tombstone === null ? 'conflict' : 'deleted');
      await absent(store, 't');
    },
  }),
];
