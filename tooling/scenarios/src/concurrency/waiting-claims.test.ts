import { createThreads } from '@agent-state/core';
import { createFaultyCheckpointer, createVirtualRuntime } from '@agent-state/core/testing';
import { createMemoryCheckpointer, createMemoryData } from '@agent-state/kv-memory';
import { describe, expect, it } from 'vitest';
import { calls, createGate, lines, says, startProcess, told, tool } from '../agent.ts';
import { loaded } from '../stored.ts';

/**
 * An owner that is frozen in its tool, with a heartbeat on its way, and somebody else who has waited for three
 * heartbeats and is about to claim the thread.
 */
async function aboutToClaim() {
  const runtime = createVirtualRuntime();
  const data = createMemoryData();
  const open = () => createMemoryCheckpointer({ data, runtime });
  const [ownersWire, waitersWire] = [open(), open()].map((store) => createFaultyCheckpointer(store, { runtime }));
  const held = createGate();
  const ran: string[] = [];
  const hold = tool('hold', async () => {
    ran.push('hold');
    await held.passed;
    return 'held';
  });
  const owner = startProcess(ownersWire, [calls('hold', {}), says('By the owner.')], [hold], { runtime });
  const running = owner
    .agent('t')
    .run('Go', { inputId: 'i1' })
    .catch((error: { code: string }) => error.code);
  await runtime.advance(1_000);
  ownersWire?.next('save', 'late');
  ownersWire?.next('peek', 'hangs');
  await runtime.advance(4_500);
  expect(ownersWire?.injected).toMatchObject({ late: 1, hangs: 1 });
  ownersWire?.down('hangs');

  const asked: string[] = [];
  const answer = () => {
    asked.push('waiter');
    return says('By the waiter.');
  };
  const waiter = startProcess(waitersWire, [answer, answer, answer], [hold], { runtime });
  let met = 0;
  /** What happens just before the waiter's claim is stored; then how its run of this input ends. */
  const claim = async (inputId: string, happens: () => Promise<unknown>) => {
    waitersWire?.next('save', async () => {
      met += 1;
      await happens();
    });
    const outcome = waiter
      .agent('t')
      .run('And more', { inputId })
      .catch((error: { code: string }) => error.code);
    await runtime.advance(20_000);
    expect(met).toBe(1);
    return { outcome: await settleWith(outcome) };
  };
  const settleWith = (outcome: Promise<unknown>) => {
    held.open();
    return runtime.until(outcome);
  };
  /** The owner goes on, and its heartbeat is stored. */
  const beatsLate = async () => {
    ownersWire?.up();
    expect(await ownersWire?.land()).toEqual([true]);
  };
  const cancelled = async () => expect(await createThreads(open(), { runtime }).cancel('t')).toBe(true);
  const stored = async () => (await loaded(open(), 't')).state;
  const quiet = () => [...waiter.warnings, ...told(waiter), ...told(owner).filter((type) => type === 'diverged')];
  return { claim, beatsLate, cancelled, stored, quiet, asked, ran, running };
}

describe('a waiter that claims the thread of an owner that it takes for dead', () => {
  it('[E25] and meets its late heartbeat waits on: it gets its turn after the owner’s answer, once', async () => {
    const { claim, beatsLate, stored, quiet, asked, ran, running } = await aboutToClaim();
    const { outcome } = await claim('i2', beatsLate);
    expect(outcome).toMatchObject({ answer: 'By the waiter.', durable: true });
    expect(await running).toMatchObject({ answer: 'By the owner.', durable: true });
    const { history, run } = await stored();
    expect(lines(history)).toEqual([
      'system: Be helpful.',
      'user: Go',
      'assistant: null',
      'tool: held',
      'assistant: By the owner.',
      'user: And more',
      'assistant: By the waiter.',
    ]);
    expect(run).toMatchObject({ phase: 'done', epoch: 2, owner: null });
    expect([asked, ran, quiet()]).toEqual([['waiter'], ['hold'], []]);
  });

  it('[E25] and meets its late heartbeat, with the input that the owner works on, gets the owner’s answer', async () => {
    const { claim, beatsLate, stored, quiet, asked, ran } = await aboutToClaim();
    const { outcome } = await claim('i1', beatsLate);
    expect(outcome).toMatchObject({ answer: 'By the owner.', durable: true });
    const { history, run } = await stored();
    expect(lines(history)?.slice(1)).toEqual(['user: Go', 'assistant: null', 'tool: held', 'assistant: By the owner.']);
    expect(run).toMatchObject({ epoch: 1 });
    expect([asked, ran, quiet()]).toEqual([[], ['hold'], []]);
  });

  it('[E25] and meets a cancel begins its own run, and the input is there once', async () => {
    const { claim, cancelled, stored, quiet, asked, ran } = await aboutToClaim();
    const { outcome } = await claim('i2', cancelled);
    expect(outcome).toMatchObject({ answer: 'By the waiter.', durable: true });
    const { history, run } = await stored();
    expect(lines(history)?.slice(1)).toEqual([
      'user: Go',
      'assistant: null',
      'tool: Unknown: this call may or may not have run; its result was lost.',
      'user: And more',
      'assistant: By the waiter.',
    ]);
    expect(history.at(-2)?.metadata?.previous_run).toMatchObject({ outcome: 'cancelled' });
    expect(run).toMatchObject({ phase: 'done', epoch: 2 });
    expect([asked, ran, quiet()]).toEqual([['waiter'], ['hold'], []]);
  });

  it('[E25] and meets a cancel of the run of its own input is told that it was cancelled', async () => {
    const { claim, cancelled, stored, quiet, asked } = await aboutToClaim();
    const { outcome } = await claim('i1', cancelled);
    expect(outcome).toBe('aborted');
    const { history, run } = await stored();
    expect(lines(history)?.slice(1)).toEqual(['user: Go', 'assistant: null']);
    expect(run).toMatchObject({ phase: 'cancelled', epoch: 1 });
    expect([asked, quiet()]).toEqual([[], []]);
  });
});
