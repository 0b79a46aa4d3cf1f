import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Capabilities, Checkpointer, CheckpointWrite, Position } from '@agent-state/core';
import { absent, loaded, refused, savedAndLoaded } from '../assertions.ts';
import { defineCase } from '../case.ts';
import { run, state, step, ttl, user } from '../fixtures.ts';

/** The shortest time to live that the cases use: a second, or what the store can tell apart. */
const shortest = ({ ttlResolutionMs }: Capabilities): number => Math.max(1_000, ttlResolutionMs);

/** Waits until the thread is absent, up to a while past its time. */
async function expired(store: Checkpointer, threadId: string, ttlMs: number): Promise<void> {
  const deadline = performance.now() + 2 * ttlMs + 3_000;
  while ((await store.peek(threadId)).found) {
    assert(performance.now() < deadline, `${threadId} is still there long after its time to live`);
    await pause(50);
  }
  await absent(store, threadId);
}

/** Waits until a time to live that had counted from now would be over, for a store as coarse as this one. */
const outlast = (capabilities: Capabilities) => pause(shortest(capabilities) + capabilities.ttlResolutionMs + 300);

/** Saves again and again for two lifetimes; false where a pause between two saves was too long to say anything. */
async function keptAlive(store: Checkpointer, lifetime: number, write: () => CheckpointWrite): Promise<boolean> {
  const start = performance.now();
  let last = start;
  let base: Position = await store.save('t', { ...write(), ttl: ttl(lifetime) });
  while (performance.now() < start + 2 * lifetime) {
    await pause(lifetime / 5);
    const before = performance.now();
    const saving = store.save('t', { ...write(), base, appendedFrom: base.length });
    const outcome = await saving.catch((error: unknown) => error as Error);
    if (performance.now() - last > 0.9 * lifetime) return false;
    if (outcome instanceof Error) throw outcome;
    [base, last] = [outcome, before];
  }
  return true;
}

/** What happens to threads with a time to live. */
export const expiry = [
  defineCase({
    id: 'expiry/whole',
    waits: true,
    requirement: 'a thread with a time to live is there until then, and absent as a whole after: state, steps, listing',
    run: async ({ store, open, capabilities }) => {
      const lifetime = shortest(capabilities);
      const started = performance.now();
      await store.save('t', { state: state([user('a')]), steps: [step(1)], ttl: ttl(lifetime) });
      const found = (await store.load('t')).found;
      assert(found || performance.now() - started > lifetime, 'it expired too soon');
      await expired(store, 't', lifetime);
      assert.deepEqual(await absent(await open(), 't'), { found: false, tombstone: null });
      if (capabilities.steps) assert.deepEqual(await store.steps('t'), []);
      if (capabilities.list) assert.deepEqual((await store.list()).threads, []);
      if (capabilities.query) assert.deepEqual((await store.query({ text: 'a' })).threads, []);
    },
  }),
  defineCase({
    id: 'expiry/renewed',
    waits: true,
    requirement: 'each save renews the time to live, also one that does not mention it',
    run: async ({ store, capabilities }) => {
      const write = () => ({ state: state([user('a')]) });
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        if (await keptAlive(store, shortest(capabilities) + 500, write)) break;
        assert(attempt < 3, 'this machine is too busy to say: saves came later than the time to live, three times');
        await store.delete('t');
      }
      assert.deepEqual((await loaded(store, 't')).ttl, ttl(shortest(capabilities) + 500));
    },
  }),
  defineCase({
    id: 'expiry/kept',
    waits: true,
    requirement: 'a save that does not mention the time to live keeps it, and the thread expires after that save',
    run: async ({ store, capabilities }) => {
      const lifetime = shortest(capabilities);
      const base = await store.save('t', { state: state([user('a')]), ttl: ttl(lifetime) });
      const next = await store.save('t', { state: state([user('a'), user('b')]), base, appendedFrom: 1 });
      assert.deepEqual(next.ttl, ttl(lifetime));
      await store.save('unconditional', { state: state([user('a')]), ttl: ttl(lifetime) });
      await store.save('unconditional', { state: state([user('b')]) });
      await Promise.all([expired(store, 't', lifetime), expired(store, 'unconditional', lifetime)]);
    },
  }),
  defineCase({
    id: 'expiry/none',
    waits: true,
    requirement: 'without a time to live a thread stays, also one that had one before',
    run: async ({ store, capabilities }) => {
      await store.save('never', { state: state([user('a')]) });
      const base = await store.save('no more', { state: state([user('a')]), ttl: ttl(shortest(capabilities)) });
      const cleared = { state: state([user('b')]), base, ttl: ttl(null), steps: [step(1)] };
      await store.save('no more', cleared);
      await outlast(capabilities);
      assert.deepEqual((await loaded(store, 'never')).ttl, ttl(null));
      assert.deepEqual((await loaded(store, 'no more')).state.history, [user('b')]);
      if (capabilities.steps) assert.equal((await store.steps('no more')).length, 1);
    },
  }),
  defineCase({
    id: 'expiry/paused',
    waits: true,
    requirement: 'a paused thread lives by the longer limit of its own, and by the other one again once it goes on',
    run: async ({ store, capabilities }) => {
      const short = shortest(capabilities);
      const paused = state([user('a')], { run: run({ phase: 'paused' }) });
      const longer = { ttlMs: short, pausedTtlMs: 3_600_000 };
      const base = await store.save('longer', { state: paused, ttl: longer });
      await store.save('alike', { state: paused, ttl: ttl(short) });
      await store.save('shorter', { state: paused, ttl: { ttlMs: null, pausedTtlMs: short } });
      await expired(store, 'alike', short);
      await outlast(capabilities);
      assert.deepEqual((await loaded(store, 'longer')).ttl, longer);
      assert((await store.peek('shorter')).found, 'a pause has shortened its life');
      await store.save('longer', { state: state([user('a')], { run: run() }), base, appendedFrom: 1 });
      await expired(store, 'longer', short);
    },
  }),
  defineCase({
    id: 'expiry/save-on-expired',
    waits: true,
    requirement: 'an expired thread is absent for a save as for a load: a conflict with nothing, and a create is done',
    run: async ({ store, capabilities }) => {
      const lifetime = shortest(capabilities);
      const write = { state: state([user('old'), user('old')]), steps: [step(1)], ttl: ttl(lifetime) };
      const base = await store.save('t', write);
      await expired(store, 't', lifetime);
      const late = { state: state([user('old'), user('old'), user('late')]), base, appendedFrom: 2 };
      const { current } = await refused(store.save('t', late), 'conflict');
      assert.equal(current, null);
      const fresh = { state: state([user('new')]), base: await absent(store, 't') };
      const found = await savedAndLoaded(store, 't', fresh);
      assert.deepEqual([found.revision, found.steps, found.ttl], [1, 0, ttl(null)]);
      if (capabilities.steps) assert.deepEqual(await store.steps('t'), []);
    },
  }),
  defineCase({
    id: 'expiry/long',
    requirement: '[S-TTL-03] a time to live of 30 days, and one of 100 years, is kept and not over at once',
    run: async ({ store }) => {
      const day = 24 * 3_600_000;
      for (const days of [30, 36_500]) {
        await savedAndLoaded(store, `${days}`, { state: state([user('a')]), ttl: ttl(days * day) });
      }
      await pause(50);
      for (const days of [30, 36_500]) assert.deepEqual((await loaded(store, `${days}`)).ttl, ttl(days * day));
    },
  }),
  defineCase({
    id: 'expiry/odd-limits',
    requirement: 'a time to live that is not a whole number of milliseconds above 0 is refused, and nothing is written',
    run: async ({ store }) => {
      for (const ms of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '1000' as never]) {
        await refused(store.save('t', { state: state([]), ttl: ttl(ms) }), 'invalid_argument');
      }
      await absent(store, 't');
    },
  }),
];
