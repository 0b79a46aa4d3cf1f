import { systemRuntime } from '@agent-state/core';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { createSqliteCheckpointer } from './checkpointer.ts';

const state = { history: [{ role: 'user' as const, content: 'hello' }] };
const ttl = { ttlMs: 1_000, pausedTtlMs: null };
const step = { step: 1, phase: 'think', at: '2026-01-01T00:00:00Z', run_id: 'r', history_length: 1 } as const;

function withClock() {
  const database = new Database(':memory:');
  let now = Date.now();
  const runtime = { ...systemRuntime, now: () => now };
  return {
    open: () => createSqliteCheckpointer({ database, runtime }),
    advance: (ms: number) => {
      now += ms;
    },
    /** As many heads like the only one that there is. */
    multiply: (count: number) => {
      database.exec('create temp table one as select * from agent_checkpoints_heads');
      const rename = database.prepare("update one set thread_id = 'copy ' || ?");
      const insert = database.prepare('insert into agent_checkpoints_heads select * from one');
      for (let number = 0; number < count; number += 1) {
        rename.run(number);
        insert.run();
      }
    },
    rows: () =>
      ['heads', 'messages', 'steps', 'tombstones'].map(
        (table) => database.prepare(`select * from agent_checkpoints_${table}`).all().length,
      ),
  };
}

it('removes expired threads when it is opened, and no others', async () => {
  const { open, advance, rows } = withClock();
  await open().save('expires', { state, ttl, steps: [step] });
  await open().save('stays', { state, steps: [step] });
  advance(1_000);
  await open().load('anything');
  expect(rows()).toEqual([1, 1, 1, 0]);
});

it('removes expired threads with every hundredth save', async () => {
  const { open, advance, rows } = withClock();
  const checkpointer = open();
  await checkpointer.save('expires', { state, ttl, steps: [step] });
  advance(1_000);
  let base = await checkpointer.save('other', { state });
  while (base.revision < 98) base = await checkpointer.save('other', { state, base });
  expect(rows()).toEqual([2, 2, 1, 0]);
  await checkpointer.save('other', { state, base });
  expect(rows()).toEqual([1, 1, 0, 0]);
});

it('[S-PER-04] lists what lives without a removal of 5,000 threads that have expired', async () => {
  const { open, advance, multiply, rows } = withClock();
  const checkpointer = open();
  await checkpointer.save('expires', { state, ttl });
  multiply(5_000);
  for (let number = 0; number < 10; number += 1) await checkpointer.save(`living ${number}`, { state });
  advance(1_000);
  const begun = performance.now();
  const { threads } = await checkpointer.list();
  expect(performance.now() - begun).toBeLessThan(500);
  expect(threads.map(({ threadId }) => threadId.slice(0, 6))).toEqual(Array.from({ length: 10 }, () => 'living'));
  expect(rows()[0]).toBe(5_011);
});

it('starts a new life over an expired thread without anything of the old one', async () => {
  const { open, advance, rows } = withClock();
  const checkpointer = open();
  const long = { history: [...state.history, ...state.history] };
  const old = await checkpointer.save('thread', { state: long, ttl, steps: [step, step] });
  advance(1_000);
  const absent = await checkpointer.load('thread');
  expect(absent).toEqual({ found: false, tombstone: null });
  await expect(checkpointer.save('thread', { state: long, base: old })).rejects.toMatchObject({ code: 'conflict' });
  await checkpointer.save('thread', { state, base: { found: false, tombstone: null } });
  expect(await checkpointer.load('thread')).toMatchObject({ length: 1, steps: 0, state });
  expect(rows()).toEqual([1, 1, 0, 0]);
});

it('forgets a tombstone after a week', async () => {
  const { open, advance, rows } = withClock();
  await open().delete('thread');
  advance(7 * 24 * 3_600_000 - 1);
  expect(await open().load('thread')).toMatchObject({ tombstone: expect.any(String) });
  advance(1);
  expect(await open().load('thread')).toMatchObject({ tombstone: null });
  expect(rows()).toEqual([0, 0, 0, 0]);
});
