import { randomUUID } from 'node:crypto';
import { type CallDecision, type Checkpointer, createThreads, type DecisionReceipt } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { calls, lines, says, startProcess, tool } from '../agent.ts';
import { loaded } from '../stored.ts';
import { opened, stores } from '../stores.ts';

const rounds = 20;
const approve: CallDecision = { verdict: 'approve' };
const answer: CallDecision = { verdict: 'answer', result: 'refunded by hand' };
const reject: CallDecision = { verdict: 'reject', reason: 'too much' };
const resultOf = { approve: 'refunded', answer: 'refunded by hand', reject: 'Rejected: too much' };

/** A tool that needs approval, and notes which amounts it has refunded. */
function refunds(amounts: unknown[]) {
  return tool('refund', (args) => amounts.push((args as { amount: number }).amount) && 'refunded', {
    needsApproval: true,
  });
}

describe.each(stores.filter(([name]) => name !== 'kv'))('on %s, decisions', (_, openStore) => {
  it('[E21] one by one on ten calls of one turn, with a resume after each, use up no attempt of a call that waits', async () => {
    const threadId = randomUUID();
    const store = opened(openStore);
    const attempts: (readonly [number, number])[] = [];
    const amounts = Array.from({ length: 10 }, (_, index) => index);
    const refund = tool(
      'refund',
      (args, { attempt }) => attempts.push([(args as { amount: number }).amount, attempt]) && 'refunded',
      { needsApproval: true },
    );
    const turns = [calls(...amounts.flatMap((amount) => ['refund', { amount }])), says('Done.')];
    const process = () => startProcess(store, turns, [refund], { maxAttempts: 2 }).agent(threadId);
    const threads = createThreads(store);
    await process().run('Refund all');
    for (const amount of amounts) {
      const pending = await threads.pending(threadId);
      expect(pending.map((call) => call.arguments)).toEqual(
        amounts.slice(amount).map((left) => JSON.stringify({ amount: left })),
      );
      expect(await threads.decide(threadId, pending[0]?.key ?? '', approve)).toMatchObject({ counted: true });
      const result = await process().resume();
      expect(result.status).toBe(amount === 9 ? 'done' : 'paused');
      const { run } = (await loaded(store, threadId)).state;
      expect(run?.calls.filter(({ result }) => !result).map(({ attempt }) => attempt)).toEqual(
        amounts.slice(amount + 1, amount === 9 ? 0 : undefined).map(() => 0),
      );
      expect(attempts).toEqual(amounts.slice(0, amount + 1).map((done) => [done, 0]));
    }
    expect(lines((await loaded(store, threadId)).state.history)?.slice(3)).toEqual([
      ...amounts.map(() => 'tool: refunded'),
      'assistant: Done.',
    ]);
  });

  it(`[E28] by two persons at once on two calls, ${rounds} rounds: each counts for its own call, the first one wins for each`, async () => {
    const [one, other] = [opened(openStore), opened(openStore)];
    for (let round = 0; round < rounds; round += 1) {
      const threadId = randomUUID();
      const refunded: unknown[] = [];
      const turns = [calls('refund', { amount: 1 }, 'refund', { amount: 2 }), says('Done.')];
      const process = () => startProcess(one, turns, [refunds(refunded)]).agent(threadId);
      await process().run('Refund both');
      const keys = (await createThreads(other).pending(threadId)).map(({ key }) => key);
      const decide = (store: Checkpointer, ...said: readonly CallDecision[]) =>
        Promise.all(said.map((decision, at) => createThreads(store).decide(threadId, keys[at] ?? '', decision)));
      const told = await Promise.all([decide(one, approve, reject), decide(other, reject, answer)]);
      const winners = keys.map((_, at) => winnerOf(told.map((receipts) => receipts[at] as DecisionReceipt)));
      const { run } = (await loaded(other, threadId)).state;
      expect(run?.calls.map(({ decision }) => decision?.verdict)).toEqual(winners);
      expect(await process().resume()).toMatchObject({ answer: 'Done.', durable: true });
      expect(refunded).toEqual(winners[0] === 'approve' ? [1] : []);
      expect(lines((await loaded(one, threadId)).state.history)?.slice(3, 5)).toEqual(
        winners.map((verdict) => `tool: ${resultOf[verdict]}`),
      );
    }
  }, 30_000);

  it('[E28] on a call whose id the model has used before count for that call alone', async () => {
    const threadId = randomUUID();
    const store = opened(openStore);
    const refunded: unknown[] = [];
    const turns = [calls('refund', { amount: 1 }), calls('refund', { amount: 1 }), says('Done.')];
    const process = () => startProcess(store, turns, [refunds(refunded)]).agent(threadId);
    const threads = createThreads(store);
    await process().run('Refund twice');
    const [first] = await threads.pending(threadId);
    await threads.decide(threadId, first?.key ?? '', approve);
    expect(await process().resume()).toMatchObject({ status: 'paused' });
    const [second] = await threads.pending(threadId);
    expect([second?.callId, second?.arguments]).toEqual([first?.callId, first?.arguments]);
    expect(second?.key).not.toBe(first?.key);
    await expect(threads.decide(threadId, first?.key ?? '', approve)).rejects.toMatchObject({ code: 'not_found' });
    expect(await process().resume()).toMatchObject({ status: 'paused' });
    await threads.decide(threadId, second?.key ?? '', reject);
    expect(await process().resume()).toMatchObject({ answer: 'Done.' });
    expect(refunded).toEqual([1]);
    expect(lines((await loaded(store, threadId)).state.history)?.slice(2)).toEqual([
      'assistant: null',
      'tool: refunded',
      'assistant: null',
      'tool: Rejected: too much',
      'assistant: Done.',
    ]);
  });
});

/** Of what two persons were told of one call: one decision counted, and both know which. */
function winnerOf(receipts: readonly DecisionReceipt[]): keyof typeof resultOf {
  const [winner, ...more] = receipts.filter(({ counted }) => counted);
  expect([winner !== undefined, more]).toEqual([true, []]);
  expect(receipts.map(({ decision }) => decision)).toEqual(receipts.map(() => winner?.decision));
  return (winner as DecisionReceipt).decision.verdict;
}
