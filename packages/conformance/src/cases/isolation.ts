import assert from 'node:assert/strict';
import { type Checkpointer, isAgentStateError, type ThreadPage } from '@agent-state/core';
import { absent, loaded, savedAndLoaded } from '../assertions.ts';
import { type CaseContext, defineCase } from '../case.ts';
import { state, step, user } from '../fixtures.ts';

/** Pairs that become one key, or one a pattern of the other, where they are put together carelessly. */
const neighbours = [
  'users',
  'users-archive',
  'users::x',
  'users:x',
  'us*',
  'us',
  'USERS',
  'us[e]rs',
  '$users',
  'a b',
  '../x',
];

/** The namespaces that every store has to take; the others may be refused, but only when the checkpointer is made. */
const plain = ['users', 'users-archive', 'us', 'a'];

/** A checkpointer on the namespace, or undefined where the store refuses such a name. */
async function openIfTaken(openIn: CaseContext['openIn'], namespace: string): Promise<Checkpointer | undefined> {
  if (plain.includes(namespace)) return openIn(namespace);
  return openIn(namespace).catch((error: unknown) => {
    if (isAgentStateError(error, 'configuration')) return undefined;
    throw error;
  });
}

/** The ids on a page, sorted. */
async function idsOf(page: Promise<ThreadPage>): Promise<string[]> {
  return (await page).threads.map(({ threadId }) => threadId).sort();
}

/** Threads and namespaces are apart. */
export const isolation = [
  defineCase({
    id: 'isolation/threads',
    requirement: 'threads that are written in turns do not see each other',
    run: async ({ store }) => {
      const ids = ['a', 'b', 'c', 'd', 'e'];
      for (let round = 0; round < 5; round += 1) {
        for (const id of ids) {
          const found = await store.load(id);
          const history = [...(found.found ? found.state.history : []), user(`${id}${round}`)];
          const write = { state: state(history, { variables: { id } }), base: found, appendedFrom: round };
          await savedAndLoaded(store, id, write);
        }
      }
      await store.delete('c');
      await absent(store, 'c');
      for (const id of ['a', 'b', 'd', 'e']) assert.equal((await loaded(store, id)).length, 5);
    },
  }),
  defineCase({
    id: 'isolation/namespaces',
    requirement:
      '[S-TEN-01] [S-KEY-02] the same thread ids in two namespaces are different threads, in every call, also when one is emptied',
    needs: ['openIn'],
    run: async ({ openIn, capabilities }) => {
      const [one, two] = [await openIn('one'), await openIn('two')];
      const ids = ['1', '2', '3'];
      for (const id of ids) {
        await one.save(id, { state: state([user('one')]), steps: [step(1)] });
        await absent(two, id);
      }
      for (const id of ids) await two.save(id, { state: state([user('two'), user('two')]) });
      if (capabilities.steps) assert.deepEqual(await two.steps('1'), []);
      await two.delete('1');
      await two.delete('4');
      assert.deepEqual((await loaded(one, '1')).state.history, [user('one')]);
      assert.deepEqual(await absent(one, '4'), { found: false, tombstone: null });
      if (capabilities.list) {
        assert.deepEqual(await idsOf(one.list()), ids);
        assert.deepEqual(await idsOf(two.list()), ['2', '3']);
      }
      if (capabilities.query) {
        assert.deepEqual(await idsOf(one.query({ text: 'one' })), ids);
        assert.deepEqual(await idsOf(two.query({ text: 'one' })), []);
      }
      for (const id of ids) await two.delete(id);
      for (const id of ids) assert.deepEqual((await loaded(one, id)).state.history, [user('one')]);
      if (capabilities.steps) assert.equal((await one.steps('1')).length, 1);
    },
  }),
  defineCase({
    id: 'isolation/hostile-namespaces',
    requirement:
      '[F1] [S-KEY-03] namespaces that look like patterns, prefixes or paths of each other are apart, or refused when made',
    needs: ['openIn'],
    run: async ({ openIn, capabilities }) => {
      const opened = await Promise.all(neighbours.map((namespace) => openIfTaken(openIn, namespace)));
      const stores = opened.filter((store) => store !== undefined);
      for (const [index, store] of stores.entries()) await store.save('t', { state: state([user(`${index}`)]) });
      for (const [index, store] of stores.entries()) {
        assert.deepEqual((await loaded(store, 't')).state.history, [user(`${index}`)]);
        if (capabilities.list) assert.equal((await store.list()).threads.length, 1);
        await store.delete('t');
        for (const later of stores.slice(index + 1)) assert((await later.peek('t')).found);
      }
    },
  }),
  defineCase({
    id: 'isolation/shifted-separators',
    requirement: '[F1] a separator that moves from the id to the namespace makes another thread',
    needs: ['openIn'],
    run: async ({ openIn }) => {
      for (const separator of ['::', ':', '.', '/', '%3A', '-', '{', '\u00e9']) {
        const [short, long] = [await openIn('a'), await openIfTaken(openIn, `a${separator}b`)];
        if (!long) continue;
        await short.save(`b${separator}x`, { state: state([user('short')]) });
        await absent(long, 'x');
        await long.save('x', { state: state([user('long')]) });
        assert.deepEqual((await loaded(short, `b${separator}x`)).state.history, [user('short')], separator);
      }
    },
  }),
];
