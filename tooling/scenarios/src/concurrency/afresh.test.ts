import { randomUUID } from 'node:crypto';
import type { Checkpointer } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { calls, createGate, lines, says, startProcess, told, tool } from '../agent.ts';
import { loaded } from '../stored.ts';
import { wiredStores } from './wired.ts';

/** What a process of the life before is doing when its write is held up on the way. */
const writes = ['create', 'save'] as const;

describe.each(wiredStores)('on $name, a thread that is deleted and run again at once', ({ open, openWired }) => {
  const anew = (store: Checkpointer, threadId: string, input = 'Hello') =>
    startProcess(store, [says('A new life.'), says('And more.')])
      .agent(threadId)
      .run(input);
  const newLife = ['system: Be helpful.', 'user: Hello', 'assistant: A new life.'];

  /** A run of which a write is under way when the thread is deleted, and lands when `arrive` is called. */
  async function heldBack(kind: (typeof writes)[number]) {
    const threadId = randomUUID();
    const direct = open();
    const { store, wire } = await openWired();
    await store.load(randomUUID());
    const arrives = createGate();
    const ran: string[] = [];
    const work = tool('work', () => `old ${ran.push('work')}`);
    const more = tool('more', () => ran.push('more'));
    const old = startProcess(store, [calls('work', {}), calls('more', {}), says('Never said.')], [work, more]);
    const held = wire.holdNext(arrives.passed, (bytes) => bytes.includes(kind === 'create' ? 'Old input' : 'old 1'));
    const outcome = old
      .agent(threadId)
      .run('Old input')
      .catch((error: { code: string }) => error.code);
    await held.fired;
    return { threadId, direct, old, outcome, ran, arrive: arrives.open };
  }

  it.each(writes)('[E14] starts afresh; a %s from before the delete that lands after it is refused', async (kind) => {
    const { threadId, direct, old, outcome, ran, arrive } = await heldBack(kind);
    await direct.delete(threadId);
    expect(await anew(direct, threadId)).toMatchObject({ answer: 'A new life.', durable: true });
    const fresh = await loaded(direct, threadId);
    arrive();
    expect(await outcome).toBe('deleted');
    expect([old.warnings, told(old), ran]).toEqual([[], [], kind === 'create' ? [] : ['work']]);
    expect(await loaded(direct, threadId)).toEqual(fresh);
    expect(lines(fresh.state.history)).toEqual(newLife);
    expect(fresh.state).toMatchObject({ current_step: 1, run: { epoch: 1, phase: 'done' } });
    expect(await anew(direct, threadId, 'More')).toMatchObject({ answer: 'And more.', durable: true });
  });

  it.each(writes)('[E14] begins while a %s from before the delete lands: that one is refused', async (kind) => {
    const { threadId, direct, old, outcome, ran, arrive } = await heldBack(kind);
    await direct.delete(threadId);
    const running = anew(direct, threadId);
    arrive();
    expect(await running).toMatchObject({ answer: 'A new life.', durable: true });
    expect(await outcome).toBe('deleted');
    expect([old.warnings, told(old), ran]).toEqual([[], [], kind === 'create' ? [] : ['work']]);
    expect(lines((await loaded(direct, threadId)).state.history)).toEqual(newLife);
  });
});
