import assert from 'node:assert/strict';
import type { Checkpointer } from '@agent-state/core';
import { absent, loaded, refused } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { state, step, user } from '../fixtures.ts';
import { hostileThreadIds, invalidThreadIds } from '../thread-ids.ts';

/** Saves every id under its own name. */
async function saveAll(store: Checkpointer): Promise<void> {
  for (const id of hostileThreadIds) {
    await absent(store, id);
    await store.save(id, { state: state([user(id)]), steps: [step(1)] });
  }
}

/** That these threads are there, each with its own name in it. */
async function assertOwn(store: Checkpointer, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { state: found } = await loaded(store, id);
    assert.deepEqual(found.history, [user(id)], `${JSON.stringify(id)} holds another thread`);
  }
}

/** Thread ids are data. */
export const ids = [
  defineCase({
    id: 'ids/hostile',
    requirement: '[F1] [D6] [S-SEC-01] every allowed id is a thread of its own, whatever it looks like',
    run: async ({ store, open, capabilities }) => {
      await saveAll(store);
      await assertOwn(store, hostileThreadIds);
      await assertOwn(await open(), hostileThreadIds);
      if (capabilities.list) {
        const { threads } = await store.list({ limit: 1_000 });
        assert.deepEqual(threads.map(({ threadId }) => threadId).sort(), [...hostileThreadIds].sort());
      }
      assert.equal(({} as { history?: unknown }).history, undefined, 'an id reached Object.prototype');
    },
  }),
  defineCase({
    id: 'ids/hostile-deletes',
    requirement:
      '[F1] [S-SEC-01] [S-SEC-03] deleting an allowed id deletes that thread only, whatever the id looks like',
    run: async ({ store }) => {
      await saveAll(store);
      const isDeleted = (_: string, index: number) => index % 2 === 0;
      for (const id of hostileThreadIds.filter(isDeleted)) await store.delete(id);
      for (const id of hostileThreadIds.filter(isDeleted)) await absent(store, id);
      await assertOwn(
        store,
        hostileThreadIds.filter((id, index) => !isDeleted(id, index)),
      );
    },
  }),
  defineCase({
    id: 'ids/invalid',
    requirement:
      '[F1] [F2] [S-SEC-02] [S-UNI-02] what cannot be an id is refused in every call: objects, operators, control characters, 257 bytes',
    run: async ({ store, capabilities }) => {
      await store.save('a', { state: state([user('kept')]) });
      for (const [name, value] of invalidThreadIds) {
        const id = value as string;
        const save = () => store.save(id, { state: state([]) });
        const steps = capabilities.steps ? [() => store.steps(id)] : [];
        for (const call of [() => store.load(id), () => store.peek(id), save, () => store.delete(id), ...steps]) {
          const error = await refused(call(), 'invalid_thread_id');
          assert(error.message.length < 200, `the error of ${name} repeats the id`);
        }
      }
      assert.deepEqual((await loaded(store, 'a')).state.history, [user('kept')]);
    },
  }),
];
