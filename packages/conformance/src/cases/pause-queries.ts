import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Checkpointer, RunPhase, ThreadStateInput } from '@agent-state/core';
import { matching } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { calling, noon, run, state, ttl, user } from '../fixtures.ts';
import { pagesOf } from '../pages.ts';
import { minute } from '../timed-threads.ts';

type Changes = Partial<ThreadStateInput>;

/** A thread that is paused until this time, or until it is resumed. */
const paused = (wakeAt?: string, changes: Changes = {}) =>
  state([user('later')], {
    run: run({ phase: 'paused', pause: { kind: 'request', ...(wakeAt === undefined ? {} : { wake_at: wakeAt }) } }),
    ...changes,
  });

/** One that was paused and goes on; what is left of its pause counts for nothing. */
const awake = (phase: RunPhase, wakeAt: string) =>
  state([user('later')], { run: run({ phase, pause: { kind: 'request', wake_at: wakeAt } }) });

async function withStates(store: Checkpointer, states: Record<string, ThreadStateInput>): Promise<void> {
  for (const [id, state] of Object.entries(states)) await store.save(id, { state });
}

const [justBefore, justAfter] = ['2026-01-01T11:59:59.999Z', '2026-01-01T12:00:00.001Z'];

/** What `query` finds by what a run does, and by when it is to go on. */
export const pauseQueries = [
  defineCase({
    id: 'queries/phase',
    requirement: 'phase finds the threads whose run is in exactly that phase; idle those on which no agent has run',
    needs: ['query'],
    run: async ({ store }) => {
      const phases: RunPhase[] = ['think', 'act', 'paused', 'done', 'failed', 'cancelled'];
      for (const phase of phases) await store.save(phase, { state: state([], { run: run({ phase }) }) });
      await store.save('idle', { state: state([], { run: run({ phase: 'idle' }) }) });
      await store.save('no run', { state: state([]) });
      for (const phase of phases) assert.deepEqual(await matching(store, { phase }), [phase]);
      assert.deepEqual(await matching(store, { phase: 'idle' }), ['idle', 'no run']);
      await store.save('think', { state: state([], { run: run({ phase: 'done' }) }) });
      assert.deepEqual(await matching(store, { phase: 'think' }), []);
      assert.deepEqual(await matching(store, { phase: 'done' }), ['done', 'think']);
    },
  }),
  defineCase({
    id: 'queries/due',
    requirement: 'dueAt finds the threads that are paused until that instant or an earlier one, to the millisecond',
    needs: ['query'],
    run: async ({ store }) => {
      await withStates(store, {
        before: paused(justBefore),
        at: paused(noon),
        after: paused(justAfter),
        never: paused(),
        first: paused('0000-01-01T00:00:00.000Z'),
        last: paused('9999-12-31T23:59:59.999Z'),
        none: state([]),
      });
      assert.deepEqual(await matching(store, { dueAt: justBefore }), ['before', 'first']);
      assert.deepEqual(await matching(store, { dueAt: noon }), ['at', 'before', 'first']);
      assert.deepEqual(await matching(store, { dueAt: '2026-01-01T13:00:00+01:00' }), ['at', 'before', 'first']);
      assert.deepEqual(await matching(store, { dueAt: justAfter }), ['after', 'at', 'before', 'first']);
      assert.deepEqual(await matching(store, { dueAt: '2026-01-01' }), ['first']);
      assert.deepEqual(await matching(store, { dueAt: '9999-12-31T23:59:59.999Z' }), [
        'after',
        'at',
        'before',
        'first',
        'last',
      ]);
    },
  }),
  defineCase({
    id: 'queries/due-now',
    requirement: 'dueAt finds what is paused now: not what goes on, sleeps longer, or was deleted',
    needs: ['query'],
    run: async ({ store }) => {
      const phases: RunPhase[] = ['idle', 'think', 'act', 'done', 'failed', 'cancelled'];
      for (const phase of phases) await store.save(phase, { state: awake(phase, noon) });
      await withStates(store, { resumed: paused(noon), longer: paused(noon), deleted: paused(noon), again: paused() });
      const base = await store.save('still', { state: paused(noon) });
      assert.deepEqual(await matching(store, { dueAt: noon }), ['deleted', 'longer', 'resumed', 'still']);
      await store.save('still', { state: paused(noon, { current_step: 2 }), base, appendedFrom: 1 });
      await withStates(store, {
        resumed: state([user('later')], { run: run() }),
        longer: paused(justAfter),
        again: paused(noon),
      });
      await store.delete('deleted');
      assert.deepEqual(await matching(store, { dueAt: noon }), ['again', 'still']);
      await store.delete('again');
      await store.save('again', { state: state([user('anew')]) });
      assert.deepEqual(await matching(store, { dueAt: noon }), ['still']);
    },
  }),
  defineCase({
    id: 'queries/due-expired',
    waits: true,
    requirement: 'a paused thread that has expired is neither due nor paused any more',
    needs: ['query'],
    run: async ({ store, capabilities }) => {
      const lifetime = Math.max(1_000, capabilities.ttlResolutionMs);
      await store.save('short', { state: paused(noon), ttl: ttl(lifetime) });
      await store.save('stays', { state: paused(noon) });
      const deadline = performance.now() + 2 * lifetime + 3_000;
      while ((await matching(store, { dueAt: noon })).includes('short')) {
        assert(performance.now() < deadline, 'an expired thread is still due');
        await pause(50);
      }
      assert.deepEqual(await matching(store, { dueAt: noon }), ['stays']);
      assert.deepEqual(await matching(store, { phase: 'paused' }), ['stays']);
    },
  }),
  defineCase({
    id: 'queries/due-and-more',
    requirement: 'phase and dueAt hold together with every other condition',
    needs: ['query'],
    run: async ({ store }) => {
      for (const agent_profile of ['p', 'q']) {
        for (const [index, wakeAt] of [noon, justAfter].entries()) {
          const changes = { agent_profile, updated_at: minute(index), variables: { index } };
          const thread = { ...paused(wakeAt, changes), history: [user(`text ${index}`), calling(`tool_${index}`)] };
          await store.save(`${agent_profile}${index}`, { state: thread });
        }
        await store.save(`${agent_profile} awake`, { state: state([], { agent_profile, run: run() }) });
      }
      assert.deepEqual(await matching(store, { phase: 'paused', agentProfile: 'p' }), ['p0', 'p1']);
      assert.deepEqual(await matching(store, { phase: 'think', agentProfile: 'p' }), ['p awake']);
      assert.deepEqual(await matching(store, { dueAt: noon, agentProfile: 'p' }), ['p0']);
      assert.deepEqual(await matching(store, { dueAt: justAfter, agentProfile: 'q' }), ['q0', 'q1']);
      assert.deepEqual(await matching(store, { dueAt: noon, phase: 'paused' }), ['p0', 'q0']);
      assert.deepEqual(await matching(store, { dueAt: justAfter, phase: 'think' }), []);
      const others = [{ updatedFrom: minute(1) }, { variables: { index: 1 } }, { toolName: 'tool_1' }, { text: '1' }];
      for (const other of others) {
        assert.deepEqual(await matching(store, { dueAt: noon, ...other }), []);
        assert.deepEqual(await matching(store, { dueAt: justAfter, ...other }), ['p1', 'q1']);
        assert.deepEqual(await matching(store, { phase: 'paused', ...other }), ['p1', 'q1']);
      }
    },
  }),
  defineCase({
    id: 'queries/due-pages',
    requirement:
      'pages of threads that are due, joined, are what one call gives: latest update first, whenever they wake',
    needs: ['query'],
    run: async ({ store }) => {
      const isDue = (number: number) => number % 3 > 0;
      const numbers = Array.from({ length: 24 }, (_, number) => number);
      for (const number of numbers) {
        const ms = 1 + ((number * 7) % 24);
        const wakeAt = new Date(Date.parse(noon) + (isDue(number) ? -ms : ms)).toISOString();
        await store.save(`${number}`, { state: paused(wakeAt, { updated_at: minute(number) }) });
      }
      const expected = numbers.filter(isDue).map(String).reverse();
      for (const limit of [1, 2, 3, 5, 100]) {
        const joined = await pagesOf((options) => store.query({ dueAt: noon, ...options }), limit);
        const found = joined.map(({ threadId }) => threadId);
        assert.deepEqual(found, expected, `in pages of ${limit}`);
      }
    },
  }),
];
