import { randomUUID } from 'node:crypto';
import type { Checkpointer } from '@agent-state/core';
import { createFaultyCheckpointer } from '@agent-state/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lines, says, startProcess } from '../agent.ts';
import { loaded } from '../stored.ts';
import { conditionalStores, opened } from '../stores.ts';

const rounds = 20;

const turns = Array.from({ length: 9 }, () => says('Hi.'));
const process = (store: Checkpointer) => startProcess(store, turns);

describe.each(conditionalStores)('on %s, two processes that create one thread', (_, openStore) => {
  /** The first one has seen that there is nothing; before it creates the thread, the second does, and `meanwhile` is done. */
  async function overtaken(
    onBusy: 'wait' | 'throw',
    meanwhile: (second: Checkpointer, id: string) => Promise<unknown>,
  ) {
    const threadId = randomUUID();
    const second = opened(openStore);
    const store = createFaultyCheckpointer(opened(openStore));
    store.next('save', () => meanwhile(second, threadId));
    const first = process(store);
    const outcome = await first
      .agent(threadId)
      .run('From the first', { onBusy })
      .catch((error: { code: string }) => error.code);
    expect(first.warnings).toEqual([]);
    return { outcome, first, ...(await loaded(second, threadId)), threadId };
  }

  it('[E3] one after the other: one wins, the other loads again, and its input follows', async () => {
    let winner: unknown;
    const { outcome, state, life, revision } = await overtaken('wait', async (second, threadId) => {
      expect(await process(second).agent(threadId).run('From the second')).toMatchObject({ durable: true });
      winner = (await loaded(second, threadId)).life;
    });
    expect(outcome).toMatchObject({ answer: 'Hi.', durable: true });
    expect([life, revision]).toEqual([winner, 4]);
    expect(lines(state.history)).toEqual([
      'system: Be helpful.',
      'user: From the second',
      'assistant: Hi.',
      'user: From the first',
      'assistant: Hi.',
    ]);
  });

  it('[E3] while the winner is still at work: the other is told so, and nothing of its input is stored', async () => {
    const { outcome, first, state, threadId } = await overtaken('throw', async (second, id) => {
      const begun = startProcess(second, [() => new Promise<never>(() => {})]);
      begun
        .agent(id)
        .run('From the second')
        .catch(() => {});
      onTestFinished(async () => void (await begun.close({ deadlineMs: 100 })));
      await expect.poll(() => begun.events.map(({ type }) => type)).toEqual(['run_started']);
    });
    expect([outcome, first.events]).toEqual(['busy', []]);
    expect(lines(state.history)).toEqual(['system: Be helpful.', 'user: From the second']);
    expect(first.agent(threadId).status()).toMatchObject({ running: false, durable: true });
  });

  it(`[E3] at once, ${rounds} rounds: one life, and both inputs are there once, or their senders know`, async () => {
    const both = [opened(openStore), opened(openStore)];
    const play = async (_: unknown, round: number) => {
      const threadId = randomUUID();
      const outcomes = await Promise.all(
        both.map((store, index) =>
          process(store)
            .agent(threadId)
            .run(`${index}`, { onBusy: round % 2 === 0 ? 'takeOver' : 'throw' })
            .then(
              ({ status, durable }) => `${status}, ${durable ? 'durable' : 'not durable'}`,
              (error: { code: string }) => error.code,
            ),
        ),
      );
      const { state, life } = await loaded(both[0] as Checkpointer, threadId);
      const given = state.history.filter(({ role }) => role === 'user').map(({ content }) => content);
      const accepted = outcomes.flatMap((outcome, index) => (outcome === 'busy' ? [] : [`${index}`]));
      expect(given).toHaveLength(accepted.length);
      expect(new Set(given)).toEqual(new Set(accepted));
      expect(outcomes).toContain('done, durable');
      expect(['done, durable', 'taken_over', 'busy']).toEqual(expect.arrayContaining(outcomes));
      expect(life.after).toBeNull();
      expect(state.run).toMatchObject({ phase: 'done', owner: null, pending_inputs: [] });
    };
    await Promise.all(Array.from({ length: rounds }).map(play));
  });
});
