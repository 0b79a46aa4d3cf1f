import assert from 'node:assert/strict';
import { absent, loaded, positionOf, refused, savedAndLoaded } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { noon, state, step, ttl, user } from '../fixtures.ts';

/** What a save and a load say of where a record stands. */
export const positions = [
  defineCase({
    id: 'positions/first',
    requirement:
      'a created record has revision 1, its write id as etag, a life of its own, and the lengths that were saved',
    run: async ({ store }) => {
      const write = { state: state([user('a'), user('b')]), writeId: 'write-1', steps: [step(1)], ttl: ttl(3_600_000) };
      const found = await savedAndLoaded(store, 't', { ...write, base: await absent(store, 't') });
      assert.deepEqual(positionOf(found), {
        etag: 'write-1',
        revision: 1,
        life: { born: 'write-1', after: null },
        generation: 0,
        length: 2,
        steps: 1,
        ahead: [],
        ttl: ttl(3_600_000),
        updatedAt: noon,
      });
    },
  }),
  defineCase({
    id: 'positions/next',
    requirement: 'each save adds 1 to the revision and takes a new etag; life and generation stay',
    run: async ({ store }) => {
      const first = await store.save('t', { state: state([user('a')]) });
      const second = await store.save('t', { state: state([user('a')]), base: first, appendedFrom: 1 });
      const third = await store.save('t', {
        state: state([user('a')]),
        base: second,
        appendedFrom: 1,
        writeId: 'mine',
      });
      assert.deepEqual([first.revision, second.revision, third.revision], [1, 2, 3]);
      assert.equal(new Set([first.etag, second.etag, third.etag]).size, 3);
      assert.equal(third.etag, 'mine');
      assert.deepEqual([third.life, third.generation], [first.life, first.generation]);
      assert.deepEqual(positionOf(await loaded(store, 't')), positionOf(third));
    },
  }),
  defineCase({
    id: 'positions/replace',
    requirement: 'replacing the history begins a generation, and nothing of the old history comes back',
    run: async ({ store }) => {
      const base = await store.save('t', { state: state([user('a'), user('b'), user('c')]) });
      const replaced = await savedAndLoaded(store, 't', { state: state([user('x')]), base });
      assert.deepEqual([replaced.generation, replaced.length, replaced.life], [1, 1, base.life]);
      const history = [user('x'), user('y')];
      await savedAndLoaded(store, 't', { state: state(history), base: replaced, appendedFrom: 1 });
    },
  }),
  defineCase({
    id: 'positions/empty-history',
    requirement: 'an empty history is stored as such, and appended to within its generation',
    run: async ({ store }) => {
      const base = await savedAndLoaded(store, 't', { state: state([]) });
      const next = await savedAndLoaded(store, 't', { state: state([user('a')]), base, appendedFrom: 0 });
      assert.equal(next.generation, 0);
    },
  }),
  defineCase({
    id: 'positions/peek',
    requirement: 'peek says what load says, without history and variables',
    run: async ({ store }) => {
      const { state: whole, ...position } = await savedAndLoaded(store, 't', {
        state: state([user('a')], { variables: { a: 1 }, extra: 'kept' }),
      });
      const { history: _history, variables: _variables, ...head } = whole;
      assert.deepEqual(await store.peek('t'), { ...position, head });
    },
  }),
  defineCase({
    id: 'positions/appended-from',
    requirement: 'appendedFrom is the stored length or 0; anything else is refused and changes nothing',
    run: async ({ store }) => {
      const base = await savedAndLoaded(store, 't', { state: state([user('a'), user('b'), user('c')]) });
      const history = [user('a'), user('b'), user('c'), user('d')];
      for (const appendedFrom of [1, 2, 4, -1, 1.5, Number.NaN]) {
        await refused(store.save('t', { state: state(history), base, appendedFrom }), 'invalid_argument');
      }
      await refused(store.save('t', { state: state([user('a')]), base, appendedFrom: 3 }), 'invalid_argument');
      const nothing = await absent(store, 'new');
      await refused(store.save('new', { state: state(history), base: nothing, appendedFrom: 3 }), 'invalid_argument');
      assert.deepEqual(await loaded(store, 't'), base);
    },
  }),
  defineCase({
    id: 'positions/wrong-length',
    requirement: 'a base with the right etag and a wrong length is corrupt: the history is not written over',
    run: async ({ store }) => {
      const base = await savedAndLoaded(store, 't', { state: state([user('a'), user('b')]) });
      const short = { ...positionOf(base), length: 1 };
      const write = { state: state([user('a'), user('x')]), base: short, appendedFrom: 1 };
      await refused(store.save('t', write), 'corrupt');
      assert.deepEqual(await loaded(store, 't'), base);
    },
  }),
  defineCase({
    id: 'positions/stale-etag',
    requirement: 'a save on an etag that was never there is a conflict, on a thread that is not there as well',
    run: async ({ store }) => {
      const base = await savedAndLoaded(store, 't', { state: state([user('a')]) });
      const stale = { ...positionOf(base), etag: 'never-written' };
      await refused(store.save('t', { state: state([user('b')]), base: stale }), 'conflict');
      const { current } = await refused(store.save('other', { state: state([user('b')]), base: stale }), 'conflict');
      assert.equal(current, null);
      assert.deepEqual(await loaded(store, 't'), base);
      await absent(store, 'other');
    },
  }),
  defineCase({
    id: 'positions/create-over-record',
    requirement: 'a create where a record is already is a conflict',
    run: async ({ store }) => {
      const nothing = await absent(store, 't');
      const base = await savedAndLoaded(store, 't', { state: state([user('a')]), base: nothing });
      const { current } = await refused(store.save('t', { state: state([user('b')]), base: nothing }), 'conflict');
      assert.equal(current?.etag, base.etag);
      assert.deepEqual(await loaded(store, 't'), base);
    },
  }),
  defineCase({
    id: 'positions/unconditional',
    requirement: 'a save without a base replaces whatever is there, and goes on from its revision and life',
    run: async ({ store }) => {
      const first = await savedAndLoaded(store, 't', { state: state([user('a'), user('b')], { variables: { a: 1 } }) });
      const second = await savedAndLoaded(store, 't', { state: state([user('c')]) });
      assert.deepEqual([second.revision, second.generation, second.life], [2, 1, first.life]);
    },
  }),
];
