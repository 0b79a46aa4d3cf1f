import assert from 'node:assert/strict';
import type { Message, Position } from '@agent-state/core';
import { loaded, savedAndLoaded } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { assistant, openCall, run, state, user } from '../fixtures.ts';

/** What of the state a save changes, and what it leaves. */
export const changes = [
  defineCase({
    id: 'changes/order',
    requirement: 'the history keeps its order over many appends of different sizes',
    run: async ({ store }) => {
      let history = [user('message 0')];
      let base = await store.save('t', { state: state(history) });
      for (const size of [1, 2, 3, 5, 8, 13, 21, 34, 1, 1]) {
        const more = Array.from({ length: size }, (_, index) => assistant(`message ${history.length + index}`));
        history = [...history, ...more];
        base = await store.save('t', { state: state(history), base, appendedFrom: base.length });
      }
      assert.deepEqual((await loaded(store, 't')).state.history, history);
    },
  }),
  defineCase({
    id: 'changes/head-only',
    requirement: '[S-SER-06] a save of the head alone leaves history and variables as they are',
    run: async ({ store }) => {
      const before = state([user('a'), assistant('b')], { variables: { a: 1 }, run: run() });
      const base = await savedAndLoaded(store, 't', { state: before });
      const after = { ...before, current_step: 2, run: run({ owner: null }) };
      await savedAndLoaded(store, 't', { state: after, base, appendedFrom: 2, variablesChanged: false });
    },
  }),
  defineCase({
    id: 'changes/variables-unchanged',
    requirement: 'variablesChanged: false keeps the variables that are stored',
    run: async ({ store }) => {
      const base = await store.save('t', { state: state([user('a')], { variables: { a: 1 } }) });
      const write = { state: state([user('a'), user('b')], { variables: { a: 2 } }), base, appendedFrom: 1 };
      await store.save('t', { ...write, variablesChanged: false });
      const found = await loaded(store, 't');
      assert.deepEqual([found.state.variables, found.length], [{ a: 1 }, 2]);
    },
  }),
  defineCase({
    id: 'changes/variables-unchanged-on-create',
    requirement: 'a create stores its variables whatever it says of them',
    run: async ({ store }) => {
      await savedAndLoaded(store, 't', { state: state([], { variables: { a: 1 } }), variablesChanged: false });
    },
  }),
  defineCase({
    id: 'changes/variables-replaced',
    requirement: '[S-SER-06] variables are replaced whole: those that are left out are gone',
    run: async ({ store }) => {
      const nested = { gone: 1, changed: { x: 1, y: 2 } };
      const base = await savedAndLoaded(store, 't', { state: state([], { variables: nested }) });
      const next = { state: state([], { variables: { changed: { y: 3 }, added: null } }), base, appendedFrom: 0 };
      const after = await savedAndLoaded(store, 't', next);
      await savedAndLoaded(store, 't', { state: state([]), base: after, appendedFrom: 0 });
    },
  }),
  defineCase({
    id: 'changes/unknown-fields',
    requirement: 'fields that no schema names survive: of the state, messages, metadata, the run and its calls',
    run: async ({ store }) => {
      const extra = { anything: [1, { deep: true }] };
      const message = { ...user('a'), extra, metadata: { input_id: 'i', extra } };
      const calls = [{ ...openCall('look_up'), extra }];
      const extended = { ...run({ calls }), extra };
      const base = await savedAndLoaded(store, 't', {
        state: state([message], { extra, run: extended }),
      });
      const again = { ...base.state, history: [...base.state.history, user('b')] };
      await savedAndLoaded(store, 't', { state: again, base, appendedFrom: 1 });
    },
  }),
  defineCase({
    id: 'changes/removed-fields',
    requirement: 'fields of the head that a save leaves out are gone, the run included',
    run: async ({ store }) => {
      const base = await savedAndLoaded(store, 't', { state: state([user('a')], { extra: 1, run: run() }) });
      await savedAndLoaded(store, 't', { state: state([user('a')]), base, appendedFrom: 1 });
    },
  }),
  defineCase({
    id: 'changes/whole-again',
    requirement:
      '[S-PER-05] a history that is handed over whole with every turn is stored once, with a base or without',
    run: async ({ store }) => {
      let history: Message[] = [];
      let base: Position | undefined;
      for (let turn = 0; turn < 10; turn += 1) {
        history = [...history, user(`question ${turn}`), assistant(`answer ${turn}`)];
        await store.save('without', { state: state(history) });
        base = await store.save('with', { state: state(history), ...(base ? { base } : {}) });
      }
      for (const threadId of ['with', 'without']) {
        assert.deepEqual((await loaded(store, threadId)).state.history, history);
      }
    },
  }),
  defineCase({
    id: 'changes/repeated-messages',
    requirement: 'equal messages are separate messages, each kept in its place',
    run: async ({ store }) => {
      const same = user('same');
      const base = await savedAndLoaded(store, 't', { state: state([same, same, same]) });
      const history = [same, same, same, same, assistant('other'), same];
      await savedAndLoaded(store, 't', { state: state(history), base, appendedFrom: 3 });
    },
  }),
];
