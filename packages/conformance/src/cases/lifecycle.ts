import assert from 'node:assert/strict';
import type { Checkpointer } from '@agent-state/core';
import { loaded, refused, savedAndLoaded } from '../assertions.ts';
import { type Capability, defineCase } from '../case.ts';
import { state, user } from '../fixtures.ts';

const isBoolean: Record<Capability, true> = {
  conditional: true,
  tombstones: true,
  appends: true,
  steps: true,
  list: true,
  query: true,
  durable: true,
};

/** One call of each capability that can be called. */
const calls = {
  steps: (store: Checkpointer) => store.steps('t'),
  list: (store: Checkpointer) => store.list(),
  query: (store: Checkpointer) => store.query({ text: 'a' }),
};

/** What a checkpointer says of itself, and its end. */
export const lifecycle = [
  defineCase({
    id: 'lifecycle/capabilities',
    requirement: 'the capabilities are one complete record that cannot be changed, the same for every checkpointer',
    run: async ({ store, open, capabilities }) => {
      for (const name of Object.keys(isBoolean) as Capability[])
        assert.equal(typeof capabilities[name], 'boolean', name);
      assert(capabilities.ttlResolutionMs > 0);
      assert(capabilities.maxMessageBytes > 0 && capabilities.maxStateBytes >= capabilities.maxMessageBytes);
      assert(Object.isFrozen(capabilities));
      assert(store.name.length > 0);
      assert.deepEqual((await open()).capabilities, capabilities);
    },
  }),
  ...(['steps', 'list', 'query'] as const).map((capability) =>
    defineCase({
      id: `lifecycle/${capability}-unsupported` as const,
      requirement: `${capability}, where it is not offered, is refused as unsupported`,
      lacks: capability,
      run: async ({ store }) => void (await refused(calls[capability](store), 'unsupported')),
    }),
  ),
  defineCase({
    id: 'lifecycle/closed',
    requirement: '[S-REC-03] after close, which may be repeated, every call is refused as closed, and a new one works',
    run: async ({ store, open, capabilities }) => {
      const base = await store.save('t', { state: state([user('a')]) });
      await Promise.all([store.close(), store.close()]);
      await store.close();
      const write = { state: state([user('b')]) };
      const saves = [() => store.save('t', write), () => store.save('t', { ...write, base })];
      for (const call of [() => store.load('t'), () => store.peek('t'), ...saves, () => store.delete('t')]) {
        await refused(call(), 'closed');
      }
      for (const name of ['steps', 'list', 'query'] as const) {
        if (capabilities[name]) await refused(calls[name](store), 'closed');
      }
      await savedAndLoaded(await open(), 't', { state: state([user('a'), user('b')]), base, appendedFrom: 1 });
    },
  }),
  defineCase({
    id: 'lifecycle/others-stay-open',
    requirement: 'closing one checkpointer leaves the others at work, and what it saved is there',
    run: async ({ store, open }) => {
      const [first, second] = [await open(), await open()];
      await first.save('t', { state: state([user('a')]) });
      await first.close();
      const base = await loaded(second, 't');
      await savedAndLoaded(second, 't', { state: state([user('a'), user('b')]), base, appendedFrom: 1 });
      await second.close();
      assert.equal((await loaded(store, 't')).length, 2);
      assert.equal((await loaded(await open(), 't')).length, 2);
    },
  }),
  defineCase({
    id: 'lifecycle/unused',
    requirement: 'a checkpointer that was never used can be closed',
    run: async ({ open }) => (await open()).close(),
  }),
  defineCase({
    id: 'lifecycle/reset',
    requirement: 'after a reset, which the core asks for when a call was late, calls are answered again',
    run: async ({ store }) => {
      await store.save('t', { state: state([user('a')]) });
      store.reset();
      store.reset();
      const base = await loaded(store, 't');
      await savedAndLoaded(store, 't', { state: state([user('a'), user('b')]), base, appendedFrom: 1 });
    },
  }),
];
