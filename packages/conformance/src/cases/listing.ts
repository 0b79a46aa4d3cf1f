import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { defineCase } from '../case.ts';
import { assistant, noon, run, state, ttl, user } from '../fixtures.ts';
import { at, idsOf, minute } from '../timed-threads.ts';

/** What `list` gives, in which order. */
export const listing = [
  defineCase({
    id: 'listing/summary',
    requirement: 'a listing shows profile, step, time, phase, revision and length of a thread',
    needs: ['list'],
    run: async ({ store }) => {
      assert.deepEqual((await store.list()).threads, []);
      const base = await store.save('t', { state: state([user('a')]) });
      const changes = { agent_profile: 'p', current_step: 7, updated_at: minute(1), run: run({ phase: 'paused' }) };
      await store.save('t', { state: state([user('a'), assistant('b')], changes), base, appendedFrom: 1 });
      await store.save('bare', { state: state([]) });
      const summary = { threadId: 't', agentProfile: 'p', currentStep: 7, updatedAt: minute(1), phase: 'paused' };
      const bare = { threadId: 'bare', agentProfile: 'profile', currentStep: 1, updatedAt: minute(0), phase: 'idle' };
      assert.deepEqual((await store.list()).threads, [
        { ...summary, revision: 2, length: 2 },
        { ...bare, revision: 1, length: 0 },
      ]);
    },
  }),
  defineCase({
    id: 'listing/wake-time',
    requirement: 'a listing shows until when a thread is paused, and of no other thread a time',
    needs: ['list'],
    run: async ({ store }) => {
      const pause = { kind: 'request', wake_at: noon } as const;
      await store.save('a', { state: state([], { run: run({ phase: 'paused', pause }) }) });
      await store.save('b', { state: state([], { run: run({ phase: 'paused', pause: { kind: 'request' } }) }) });
      await store.save('c', { state: state([], { run: run({ pause }) }) });
      await store.save('d', { state: state([]) });
      assert.deepEqual(
        (await store.list()).threads.map((thread) => ('wakeAt' in thread ? thread.wakeAt : 'no time')),
        [noon, 'no time', 'no time', 'no time'],
      );
      await store.save('a', { state: state([], { run: run() }) });
      assert.deepEqual(
        (await store.list()).threads.filter((thread) => 'wakeAt' in thread),
        [],
      );
    },
  }),
  defineCase({
    id: 'listing/order',
    requirement: 'the latest is first; of the same instant the ids decide, byte by byte',
    needs: ['list'],
    run: async ({ store }) => {
      const sameInstant = ['😀', '\ufffd', 'é', 'a', 'B', '10', '9', 'e\u0301', 'a b', 'ab'];
      for (const id of sameInstant) await at(store, id, 1);
      await at(store, 'later', 2);
      await at(store, 'earlier', 0);
      const sorted = ['10', '9', 'B', 'a', 'a b', 'ab', 'e\u0301', 'é', '\ufffd', '😀'];
      assert.deepEqual(idsOf(await store.list()), ['later', ...sorted, 'earlier']);
    },
  }),
  defineCase({
    id: 'listing/instants',
    requirement: 'times are compared as instants, whatever their zone and precision',
    needs: ['list'],
    run: async ({ store }) => {
      const times = [
        '2026-01-01T12:00:00Z',
        '2026-01-01T14:00:01+02:00',
        '2026-01-01T07:00:02.500-05:00',
        '2026-01-01T12:00:03.25Z',
      ];
      for (const [index, updated_at] of times.entries())
        await store.save(`${index}`, { state: state([], { updated_at }) });
      assert.deepEqual(idsOf(await store.list()), ['3', '2', '1', '0']);
      assert.deepEqual(
        (await store.list()).threads.map(({ updatedAt }) => updatedAt),
        times.toReversed(),
      );
    },
  }),
  defineCase({
    id: 'listing/moves',
    requirement: 'a thread that is saved again moves to its new place, and is listed once',
    needs: ['list'],
    run: async ({ store, open }) => {
      for (const [index, id] of ['a', 'b', 'c'].entries()) await at(store, id, index);
      await at(await open(), 'a', 5);
      await at(store, 'b', 4);
      assert.deepEqual(idsOf(await store.list()), ['a', 'b', 'c']);
    },
  }),
  defineCase({
    id: 'listing/gone',
    waits: true,
    requirement: 'deleted and expired threads are not listed, and one that came back is listed once',
    needs: ['list'],
    run: async ({ store, capabilities }) => {
      for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) await at(store, id, index);
      await store.delete('b');
      await store.delete('d');
      await at(store, 'd', 9);
      const lifetime = Math.max(1_000, capabilities.ttlResolutionMs);
      await store.save('short', { state: state([], { updated_at: minute(10) }), ttl: ttl(lifetime) });
      const deadline = performance.now() + 2 * lifetime + 3_000;
      while (idsOf(await store.list()).includes('short')) {
        assert(performance.now() < deadline, 'an expired thread is still listed');
        await pause(50);
      }
      assert.deepEqual(idsOf(await store.list()), ['d', 'c', 'a']);
    },
  }),
];
