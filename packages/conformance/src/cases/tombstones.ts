import assert from 'node:assert/strict';
import type { Absence, Checkpointer } from '@agent-state/core';
import { absent, loaded, refused, savedAndLoaded } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { state, step, user } from '../fixtures.ts';

/** Deletes, and gives the absence with the tombstone that it left. */
async function remove(store: Checkpointer): Promise<Absence & { readonly tombstone: string }> {
  await store.delete('t');
  const { tombstone, ...absence } = await absent(store, 't');
  assert.equal(typeof tombstone, 'string', 'the delete left no tombstone');
  return { ...absence, tombstone: tombstone as string };
}

const create = (text: string, base: Absence) => ({ state: state([user(text)]), base });
const append = (text: string, base: Awaited<ReturnType<typeof loaded>>) => ({
  state: state([...base.state.history, user(text)]),
  base,
  appendedFrom: base.length,
});

/** What was begun before a delete does not come back. */
export const tombstones = [
  defineCase({
    id: 'tombstones/save-from-before',
    requirement: '[S-DEL-02] a save from before the delete is refused as deleted, and nothing comes back',
    needs: ['tombstones'],
    run: async ({ store, open, capabilities }) => {
      const before = await savedAndLoaded(store, 't', { state: state([user('a')]) });
      await remove(await open());
      const late = { ...append('late', before), steps: [step(1)] };
      await refused(store.save('t', late), 'deleted');
      await refused(store.save('t', { state: state([user('replaced')]), base: before }), 'deleted');
      await absent(store, 't');
      if (capabilities.steps) assert.deepEqual(await store.steps('t'), []);
    },
  }),
  defineCase({
    id: 'tombstones/create-from-before',
    requirement: 'a create that does not know the tombstone is refused as deleted',
    needs: ['tombstones'],
    run: async ({ store }) => {
      const nothing = await absent(store, 't');
      const { tombstone } = await remove(store);
      await refused(store.save('t', create('late', nothing)), 'deleted');
      assert.deepEqual(await absent(store, 't'), { found: false, tombstone });
    },
  }),
  defineCase({
    id: 'tombstones/renewed',
    requirement: 'each delete leaves a new tombstone, over nothing and over a tombstone, and the older ones are void',
    needs: ['tombstones'],
    run: async ({ store }) => {
      const first = await remove(store);
      const second = await remove(store);
      assert.notEqual(second.tombstone, first.tombstone);
      await refused(store.save('t', create('late', first)), 'deleted');
      await savedAndLoaded(store, 't', create('in time', second));
    },
  }),
  defineCase({
    id: 'tombstones/old-life-over-new',
    requirement: 'a save from the life before is refused as deleted by the next life, which stays whole',
    needs: ['tombstones'],
    run: async ({ store, open }) => {
      const nothing = await absent(store, 't');
      const first = await savedAndLoaded(store, 't', create('first life', nothing));
      const grave = await remove(store);
      const second = await savedAndLoaded(await open(), 't', create('second life', grave));
      await refused(store.save('t', append('late', first)), 'deleted');
      await refused(store.save('t', create('late', nothing)), 'deleted');
      assert.deepEqual(await loaded(store, 't'), second);
    },
  }),
  defineCase({
    id: 'tombstones/third-life',
    requirement: 'a life that was created over a tombstone is deleted in its turn, and each life refuses all before it',
    needs: ['tombstones'],
    run: async ({ store }) => {
      const lives = [await savedAndLoaded(store, 't', create('life 1', await absent(store, 't')))];
      for (const number of [2, 3, 4]) {
        const grave = await remove(store);
        for (const life of lives) await refused(store.save('t', append('late', life)), 'deleted');
        lives.push(await savedAndLoaded(store, 't', create(`life ${number}`, grave)));
        for (const life of lives.slice(0, -1)) await refused(store.save('t', append('late', life)), 'deleted');
      }
      assert.equal(new Set(lives.map(({ life }) => life.born)).size, 4);
    },
  }),
  defineCase({
    id: 'tombstones/create-conflict',
    requirement: 'of two creates over one tombstone the second is a conflict: it knows of the delete',
    needs: ['tombstones'],
    run: async ({ store }) => {
      const grave = await remove(store);
      const first = await savedAndLoaded(store, 't', create('first', grave));
      const { current } = await refused(store.save('t', create('second', grave)), 'conflict');
      assert.equal(current?.etag, first.etag);
    },
  }),
  defineCase({
    id: 'tombstones/many-deletes',
    requirement: 'deletes at the same time are all done, and leave one tombstone that all checkpointers see',
    needs: ['tombstones', 'conditional'],
    run: async ({ store, open }) => {
      const others = [await open(), await open(), await open()];
      await store.save('t', { state: state([user('a')]) });
      await Promise.all([store, ...others].map((one) => one.delete('t')));
      const left = await absent(store, 't');
      for (const other of others) assert.deepEqual(await absent(other, 't'), left);
      await savedAndLoaded(store, 't', create('next', left));
    },
  }),
  defineCase({
    id: 'tombstones/bare',
    requirement: '[S-DEL-01] a tombstone holds nothing of the thread, not its length, times or ids',
    needs: ['tombstones', 'raw'],
    run: async ({ store, raw }) => {
      const agent_profile = 'profile-to-be-forgotten';
      const write = { state: state([user('a')], { agent_profile }), writeId: 'write-to-be-forgotten' };
      await store.save('t', write);
      await remove(store);
      assert(!(await raw()).includes('to-be-forgotten'));
    },
  }),
];
