import assert from 'node:assert/strict';
import { absent, assertFrozen, loaded, refused, savedAndLoaded } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { assistant, noon, run, state, user } from '../fixtures.ts';

/** What every save and load does. */
export const contract = [
  defineCase({
    id: 'contract/nothing',
    requirement: 'a thread that was never saved is absent, without a tombstone',
    async run({ store }) {
      assert.deepEqual(await absent(store, 't'), { found: false, tombstone: null });
    },
  }),
  defineCase({
    id: 'contract/create',
    requirement: 'a created thread is loaded as it was saved, by every checkpointer on the store',
    async run({ store, open }) {
      const write = {
        state: state([user('hello')], { variables: { name: 'Ada' }, run: run() }),
        base: await absent(store, 't'),
      };
      const first = await savedAndLoaded(store, 't', write);
      assert.deepEqual(await loaded(await open(), 't'), first);
    },
  }),
  defineCase({
    id: 'contract/frozen',
    requirement: '[D7] a loaded state is frozen in every part',
    async run({ store }) {
      const content = [{ type: 'text', text: 'hello' }];
      const history = [{ role: 'user', content, metadata: { a: { b: [1] } } }] as const;
      await store.save('t', { state: state(history, { variables: { list: [{ a: 1 }] }, run: run() }) });
      assertFrozen((await loaded(store, 't')).state);
    },
  }),
  defineCase({
    id: 'contract/defaults',
    requirement: 'a state with its history alone is completed, and dated',
    async run({ store }) {
      await store.save('t', { state: { history: [user('hello')] } });
      const { updated_at, ...rest } = (await loaded(store, 't')).state;
      assert(!Number.isNaN(Date.parse(updated_at)));
      assert.deepEqual(rest, {
        schema_version: 1,
        agent_profile: '',
        current_step: 0,
        variables: {},
        history: [user('hello')],
      });
    },
  }),
  defineCase({
    id: 'contract/append',
    requirement: 'an append adds messages behind those that are there',
    async run({ store }) {
      let base = await savedAndLoaded(store, 't', { state: state([user('0')]) });
      for (let length = 1; length < 10; length += 1) {
        const history = [...base.state.history, assistant(String(length))];
        base = await savedAndLoaded(store, 't', { state: state(history), base, appendedFrom: length });
      }
      assert.equal(base.length, 10);
    },
  }),
  defineCase({
    id: 'contract/conflict',
    requirement: 'of two saves on one base the second is a conflict that shows what is there, and changes nothing',
    async run({ store, open }) {
      const base = await store.save('t', { state: state([user('hello')]) });
      const winner = { state: state([user('hello'), user('first')], { run: run() }), base, appendedFrom: 1 };
      const now = await savedAndLoaded(store, 't', winner);
      const other = await open();
      const loser = { state: state([user('hello'), user('second')]), base, appendedFrom: 1 };
      const { current } = await refused(other.save('t', loser), 'conflict');
      const { state: _state, found: _found, ...position } = now;
      assert.deepEqual(current, {
        ...position,
        claim: 'claim-1',
        epoch: 1,
        ownerWrite: 'write-1',
        requests: ['request-1'],
      });
      assert.deepEqual(await loaded(other, 't'), now);
    },
  }),
  defineCase({
    id: 'contract/updated-at',
    requirement:
      '[S-CLK-02] updated_at never goes backwards within a thread, and the later save counts, whatever it says of time',
    async run({ store, capabilities }) {
      const base = await store.save('t', { state: state([user('first')]) });
      const earlier = { updated_at: '2020-01-01T00:00:00.000Z' };
      const later = await store.save('t', { state: state([user('second')], earlier), base });
      const found = await loaded(store, 't');
      assert.deepEqual(found.state, state([user('second')], { updated_at: noon }));
      assert.deepEqual([found.revision, found.updatedAt, later.updatedAt], [2, noon, noon]);
      if (!capabilities.list) return;
      await store.save('before', { state: state([], { updated_at: '2026-01-01T11:59:59.000Z' }) });
      const [latest] = (await store.list()).threads;
      assert.deepEqual([latest?.threadId, latest?.updatedAt], ['t', noon]);
    },
  }),
];
