import { randomUUID } from 'node:crypto';
import type { Checkpointer } from '@agent-state/core';
import { createFaultyCheckpointer } from '@agent-state/core/testing';
import { describe, expect, it } from 'vitest';
import { calls, createGate, lines, says, startProcess, tool } from '../agent.ts';
import { loaded } from '../stored.ts';
import { opened, stores } from '../stores.ts';

const threads = 12;
/** What becomes of the first one's claim: nothing; its answer is lost; it is lost itself. */
const fates = ['fine', 'applied', 'lost'] as const;

/** Two checkpointers of which neither has loaded before the other has: what both write is built on the same record. */
function meeting(...both: readonly [Checkpointer, Checkpointer]) {
  const gates = both.map(() => createGate());
  return both.map((store, mine): Checkpointer => {
    let loads = 0;
    return {
      ...store,
      async load(threadId) {
        const found = await store.load(threadId);
        loads += 1;
        if (loads > 1) return found;
        gates[mine]?.open();
        await Promise.all(gates.map(({ passed }) => passed));
        return found;
      },
    };
  });
}

interface Raced {
  readonly winner: string;
  /** Who asked the model, and who ran the tool. */
  readonly asked: readonly string[];
  readonly ran: readonly string[];
}

/** Two processes send an input each, in the same instant. The one that owns the thread works until the other is refused. */
async function race(threadId: string, both: readonly [Checkpointer, Checkpointer]): Promise<Raced> {
  const asked: string[] = [];
  const ran: string[] = [];
  const refused = createGate();
  const processes = meeting(...both).map((store, index) => {
    const name = `${index}`;
    const ask = async () => {
      asked.push(name);
      await refused.passed;
      return calls('work', {});
    };
    const work = tool('work', () => `by ${ran.push(name) && name}`);
    return startProcess(store, [ask, says('Done.'), ask, says('Done.')], [work]);
  });
  const outcomes = await Promise.all(
    processes.map(({ agent }, index) =>
      agent(threadId)
        .run(`from ${index}`, { onBusy: 'throw' })
        .then(
          ({ status, durable }) => `${status}, ${durable ? 'durable' : 'not durable'}`,
          (error: { code: string }) => {
            refused.open();
            return error.code;
          },
        ),
    ),
  );
  expect([...outcomes].sort()).toEqual(['busy', 'done, durable']);
  const loser = outcomes.indexOf('busy');
  expect(processes[loser]?.events).toEqual([]);
  expect(processes.flatMap(({ warnings }) => warnings)).toEqual([]);
  expect(processes[loser]?.agent(threadId).status()).toMatchObject({ running: false, durable: true });
  return { winner: `${1 - loser}`, asked, ran };
}

describe.each(stores.filter(([name]) => name !== 'kv'))('on %s', (_, openStore) => {
  it(`[E17] of two claims of one thread in the same instant, ${threads * 2} rounds, one counts and the other is not taken for it`, async () => {
    const both = [opened(openStore), opened(openStore)] as const;
    for (let round = 0; round < threads; round += 1) {
      const threadId = randomUUID();
      const expected = ['system: Be helpful.'];
      // First nothing is there, then a thread that is done.
      for (const epoch of [1, 2]) {
        const first = createFaultyCheckpointer(both[0]);
        first.next('save', fates[(round + epoch) % fates.length] ?? 'fine');
        const { winner, asked, ran } = await race(threadId, [first, both[1]]);
        expect([asked, ran]).toEqual([[winner], [winner]]);
        expected.push(`user: from ${winner}`, 'assistant: null', `tool: by ${winner}`, 'assistant: Done.');
        const { state, revision } = await loaded(both[1], threadId);
        expect(lines(state.history)).toEqual(expected);
        expect(state.run).toMatchObject({ phase: 'done', epoch, owner: null, calls: [], pending_inputs: [] });
        expect(revision).toBe(epoch * 4);
      }
    }
  }, 60_000);
});
