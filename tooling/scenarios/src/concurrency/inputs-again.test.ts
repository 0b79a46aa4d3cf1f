import { randomUUID } from 'node:crypto';
import { AgentStateError, type Checkpointer, type ScriptedTurn } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { createGate, lines, says, startProcess } from '../agent.ts';
import { loaded } from '../stored.ts';
import { conditionalStores, opened } from '../stores.ts';

const answers = ['One.', 'Two.', 'Three.'].map(says);
const nothing = [() => expect.fail('the model was asked')];
const fast = { heartbeatMs: 500 };

describe.each(conditionalStores)('on %s, an input that is sent again', (_, openStore) => {
  const setting = () => ({ threadId: randomUUID(), store: opened(openStore) });
  const process = (turns: readonly ScriptedTurn[]) => startProcess(opened(openStore), turns, [], fast);

  /** A run that has asked the model, and gets its answer when the gate opens. */
  function heldRun(threadId: string) {
    const [asked, gate] = [createGate(), createGate()];
    const owner = process([
      async () => {
        asked.open();
        await gate.passed;
        return says('One.');
      },
    ]);
    const running = owner.agent(threadId).run('First', { inputId: 'i1' });
    return { owner, running, asked, gate };
  }

  const stored = async (store: Checkpointer, threadId: string) => lines((await loaded(store, threadId)).state.history);

  it('[E10] [E16] while it runs in this process joins that run', async () => {
    const { threadId, store } = setting();
    const { owner, running, asked, gate } = heldRun(threadId);
    await asked.passed;
    const joined = owner.agent(threadId).run('First', { inputId: 'i1' });
    gate.open();
    const [first, second] = await Promise.all([running, joined]);
    expect(second).toMatchObject({ answer: 'One.', durable: true, runId: first.runId });
    expect(await loaded(store, threadId)).toMatchObject({ revision: 2, state: { run: { epoch: 1 } } });
  });

  it('[E10] [E16] while it runs elsewhere waits for that run, and gets its answer', async () => {
    const { threadId, store } = setting();
    const { running, asked, gate } = heldRun(threadId);
    await asked.passed;
    const other = process(nothing);
    const waiting = other.agent(threadId).run('First', { inputId: 'i1' });
    await expect.poll(() => other.events.map(({ type }) => type)).toEqual(['waiting']);
    gate.open();
    const [first, second] = await Promise.all([running, waiting]);
    expect(second).toMatchObject({ answer: 'One.', durable: true, runId: first.runId });
    expect(await stored(store, threadId)).toEqual(['system: Be helpful.', 'user: First', 'assistant: One.']);
    expect((await loaded(store, threadId)).state.run).toMatchObject({ epoch: 1, phase: 'done', owner: null });
  });

  it('[E10] [E16] after it was done, and after two later ones, gets its own answer, without a write', async () => {
    const { threadId, store } = setting();
    const inputs = ['i1', 'i2', 'i3'];
    const agent = process(answers).agent(threadId);
    const { runId } = await agent.run('First', { inputId: 'i1' });
    const again = () => process(nothing).agent(threadId).run('First', { inputId: 'i1' });
    const done = await loaded(store, threadId);
    expect(await again()).toMatchObject({ answer: 'One.', durable: true, runId });
    expect(await loaded(store, threadId)).toEqual(done);
    for (const inputId of inputs.slice(1)) await agent.run('Later', { inputId });
    const before = await loaded(store, threadId);
    expect(await again()).toMatchObject({ answer: 'One.', durable: true, runId });
    expect(await loaded(store, threadId)).toEqual(before);
    expect(await stored(store, threadId)).toEqual([
      'system: Be helpful.',
      'user: First',
      'assistant: One.',
      'user: Later',
      'assistant: Two.',
      'user: Later',
      'assistant: Three.',
    ]);
  });

  it('[E16] after its run failed gets that error, without a write, and runs again only with `retry`', async () => {
    const { threadId, store } = setting();
    const fails = () => Promise.reject(new AgentStateError('model', 'no'));
    const first = process([fails]).agent(threadId).run('First', { inputId: 'i1' });
    await expect(first).rejects.toMatchObject({ code: 'model' });
    const failed = await loaded(store, threadId);
    const again = process(nothing).agent(threadId).run('First', { inputId: 'i1' });
    await expect(again).rejects.toMatchObject({ code: 'model' });
    expect(await loaded(store, threadId)).toEqual(failed);
    const retrying = process(answers).agent(threadId);
    expect(await retrying.run('First', { inputId: 'i1', retry: true })).toMatchObject({
      answer: 'One.',
      durable: true,
    });
    expect(await stored(store, threadId)).toEqual(['system: Be helpful.', 'user: First', 'assistant: One.']);
    expect(await process(nothing).agent(threadId).run('First', { inputId: 'i1', retry: true })).toMatchObject({
      answer: 'One.',
    });
  });
});
