import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Checkpointer, ListOptions, ThreadPage } from '@agent-state/core';
import { absent, loaded, refused } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { state, ttl, user } from '../fixtures.ts';
import { pagesOf } from '../pages.ts';
import { at, idsOf, minute } from '../timed-threads.ts';

/** Twelve threads, three of each minute. */
async function twelve(store: Checkpointer): Promise<string[]> {
  for (let number = 0; number < 12; number += 1) await at(store, `thread ${number}`, number % 4);
  const byMinute = [3, 2, 1, 0].flatMap((rest) => [rest, rest + 4, rest + 8].map(String).sort());
  return byMinute.map((number) => `thread ${number}`);
}

/** Deletes a thread that is called so, and waits until one with a time to live has expired. */
async function vanish(store: Checkpointer, threadId: string): Promise<void> {
  if (threadId.startsWith('deleted')) await store.delete(threadId);
  if (!threadId.startsWith('short')) return;
  const deadline = performance.now() + 10_000;
  while ((await store.peek(threadId)).found) {
    assert(performance.now() < deadline, `${threadId} is still there long after its time to live`);
    await pause(50);
  }
}

/** How much of it `list` gives, and what it gives next. */
export const paging = [
  defineCase({
    id: 'listing/pages',
    requirement: '[S-QRY-05] pages of any size, joined, are what one call gives',
    needs: ['list'],
    run: async ({ store }) => {
      const expected = await twelve(store);
      assert.deepEqual(idsOf(await store.list()), expected);
      for (const limit of [1, 2, 3, 5, 6, 11, 12, 13, 1_000]) {
        const joined = await pagesOf((options) => store.list(options), limit);
        assert.deepEqual(
          joined.map(({ threadId }) => threadId),
          expected,
          `in pages of ${limit}`,
        );
      }
    },
  }),
  defineCase({
    id: 'listing/pages-while-writing',
    requirement: '[S-QRY-04] while others write and delete, pages show every thread that is left alone exactly once',
    needs: ['list'],
    run: async ({ store, open }) => {
      const other = await open();
      const still = Array.from({ length: 40 }, (_, index) => `still ${index}`);
      for (const [index, id] of still.entries()) await at(store, id, index % 7);
      for (let index = 0; index < 20; index += 1) await at(store, `moving ${index}`, index % 7);
      const joined = await pagesOf(
        (options) => store.list(options),
        7,
        async (page) => {
          await at(other, `moving ${page}`, 30 + page);
          await other.delete(`moving ${page + 10}`);
          await at(other, `new ${page}`, page % 7);
        },
      );
      const seen = joined.map(({ threadId }) => threadId).filter((id) => id.startsWith('still'));
      assert.deepEqual(seen.toSorted(), still.toSorted());
    },
  }),
  defineCase({
    id: 'listing/default-limit',
    requirement: 'without a limit a page has 100 threads',
    needs: ['list'],
    run: async ({ store }) => {
      await Promise.all(Array.from({ length: 103 }, (_, index) => at(store, `${index}`, 0)));
      const first = await store.list();
      assert.equal(first.threads.length, 100);
      assert.equal((await store.list({ cursor: first.cursor as string })).threads.length, 3);
    },
  }),
  defineCase({
    id: 'listing/limits',
    requirement: '[S-QRY-01] a limit gives as many threads as it says, or as there are',
    needs: ['list'],
    run: async ({ store }) => {
      const ids = ['a', 'b', 'c', 'd', 'e'];
      for (const [index, id] of ids.entries()) await at(store, id, 10 - index);
      const limited = async (limit: number | undefined) => idsOf(await store.list({ limit } as ListOptions));
      for (const limit of [undefined, 5, 6]) assert.deepEqual(await limited(limit), ids);
      assert.deepEqual(await limited(2), ['a', 'b']);
    },
  }),
  defineCase({
    id: 'listing/odd-options',
    requirement: '[S-QRY-01] odd limits and cursors are refused, the same on every store',
    needs: ['list'],
    run: async ({ store }) => {
      await twelve(store);
      for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1_001, '2', null]) {
        await refused(store.list({ limit: limit as number }), 'invalid_argument');
      }
      for (const cursor of ['', 'nonsense', 'W10', 5, null, { $gt: '' }]) {
        await refused(store.list({ cursor: cursor as string }), 'invalid_argument');
      }
    },
  }),
  defineCase({
    id: 'listing/vanishing',
    waits: true,
    requirement: '[S-QRY-03] a thread that expires or is deleted between being listed and being read is passed over',
    needs: ['list'],
    run: async ({ store, open, capabilities }) => {
      const other = await open();
      const kinds = ['stays', 'deleted', 'short'];
      const short = { ttl: ttl(Math.max(1_000, capabilities.ttlResolutionMs)) };
      for (let index = 0; index < 99; index += 1) {
        const threadId = `${kinds[index % 3]} ${index}`;
        const write = { state: state([user(threadId)], { updated_at: minute(index) }) };
        await store.save(threadId, threadId.startsWith('short') ? { ...write, ...short } : write);
      }
      let page: ThreadPage = { threads: [] };
      const list = async (options: ListOptions) => (page = await store.list(options));
      const seen = await pagesOf(list, 10, async () => {
        for (const id of idsOf(page)) await vanish(other, id);
        for (const id of idsOf(page)) await (id.startsWith('stays') ? loaded(store, id) : absent(store, id));
      });
      const ids = seen.map(({ threadId }) => threadId);
      assert.equal(new Set(ids).size, ids.length, 'a thread is listed twice');
      assert.equal(ids.filter((id) => id.startsWith('stays')).length, 33);
    },
  }),
];
