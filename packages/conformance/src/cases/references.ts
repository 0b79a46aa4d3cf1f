import assert from 'node:assert/strict';
import { loaded } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { noon, state, step } from '../fixtures.ts';

/** A state whose every part can still be changed. */
function fresh() {
  const part = { type: 'text', text: 'as saved' };
  const message = { role: 'user' as const, content: [part], metadata: { tags: ['x'] } };
  const variables = { list: [1], nested: { a: 1 } };
  return { ...state([]), variables, history: [message], extra: { a: 1 } };
}

/** One state to save and change, and one that stays as the first was. */
function changeable() {
  const input = fresh();
  const change = () => {
    input.variables.list.push(2);
    input.variables.nested.a = 2;
    input.extra.a = 2;
    input.agent_profile = 'changed';
    for (const { content, metadata } of input.history) {
      for (const part of content) part.text = 'changed';
      metadata.tags.push('y');
    }
    input.history.push(...fresh().history);
  };
  return { input, asSaved: fresh(), change };
}

/** The store holds what was saved, whatever the caller does to what it gave or got. */
export const references = [
  defineCase({
    id: 'references/input-after',
    requirement: '[D7] [S-SER-03] changing what was saved, once it is saved, changes nothing in the store',
    run: async ({ store }) => {
      const { input, asSaved, change } = changeable();
      await store.save('t', { state: input });
      change();
      assert.deepEqual((await loaded(store, 't')).state, asSaved);
    },
  }),
  defineCase({
    id: 'references/input-during',
    requirement: '[D7] a save takes the state of the moment of the call, with a base',
    run: async ({ store }) => {
      const { input, asSaved, change } = changeable();
      const saving = store.save('t', { state: input, base: { found: false, tombstone: null } });
      change();
      await saving;
      assert.deepEqual((await loaded(store, 't')).state, asSaved);
    },
  }),
  defineCase({
    id: 'references/input-during-unconditional',
    requirement: '[D7] a save takes the state of the moment of the call, without a base',
    run: async ({ store, capabilities }) => {
      const { input, asSaved, change } = changeable();
      const steps = [{ ...step(1), variables: { a: 1 } }];
      const saving = store.save('t', { state: input, steps });
      change();
      Object.assign(steps[0]?.variables ?? {}, { a: 2 });
      await saving;
      assert.deepEqual((await loaded(store, 't')).state, asSaved);
      if (capabilities.steps) assert.deepEqual((await store.steps('t'))[0]?.variables, { a: 1 });
    },
  }),
  defineCase({
    id: 'references/output',
    requirement: '[D7] [S-SER-03] what was loaded cannot be changed, and trying changes nothing in the store',
    run: async ({ store, open }) => {
      const { input, asSaved } = changeable();
      await store.save('t', { state: input });
      const { state: got } = await loaded(store, 't');
      assert.throws(() => Object.assign(got, { agent_profile: 'changed' }), TypeError);
      assert.throws(() => Object.assign(got.variables, { list: [] }), TypeError);
      assert.throws(() => (got.variables.list as number[]).push(2), TypeError);
      assert.throws(() => (got.history as unknown[]).push(1), TypeError);
      assert.throws(() => Object.assign(got.history[0] ?? {}, { role: 'tool' }), TypeError);
      assert.deepEqual((await loaded(store, 't')).state, asSaved);
      assert.deepEqual((await loaded(await open(), 't')).state, asSaved);
    },
  }),
  defineCase({
    id: 'references/earlier-load',
    requirement: '[D7] a state that was loaded earlier stays what it was when later ones are saved',
    run: async ({ store }) => {
      const base = await store.save('t', { state: state([{ role: 'user', content: 'a' }], { variables: { a: 1 } }) });
      const before = await loaded(store, 't');
      const history = [...before.state.history, { role: 'user' as const, content: 'b' }];
      await store.save('t', { state: state(history, { variables: { a: 2 } }), base, appendedFrom: 1 });
      assert.deepEqual(before.state, state([{ role: 'user', content: 'a' }], { variables: { a: 1 } }));
      assert.equal(before.updatedAt, noon);
      assert.equal(before.length, 1);
    },
  }),
];
