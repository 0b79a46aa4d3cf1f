import { randomUUID } from 'node:crypto';
import { type CallDecision, createThreads } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { calls, lines, says, startProcess, tool } from '../agent.ts';
import { loaded } from '../stored.ts';
import { conditionalStores, opened } from '../stores.ts';

const rounds = 20;
const inRounds = (play: (round: number) => Promise<void>) =>
  Promise.all(Array.from({ length: rounds }, (_, round) => play(round)));

const approve = { verdict: 'approve' } as const;
const reject = { verdict: 'reject', reason: 'too much' } as const;

describe.each(conditionalStores)('on %s, a call that waits for its approval', (_, openStore) => {
  /** A paused thread, and two people, each with a client of his own. */
  async function waiting(people = [createThreads(opened(openStore)), createThreads(opened(openStore))]) {
    const threadId = randomUUID();
    const store = opened(openStore);
    const ran: unknown[] = [];
    const refund = tool('refund', (args) => `refund ${ran.push(args)}`, { needsApproval: true });
    const start = () => startProcess(store, [calls('refund', { amount: 7 }), says('Done.')], [refund]).agent(threadId);
    expect(await start().run('Go')).toMatchObject({ status: 'paused', durable: true });
    const [one, two] = people;
    if (!one || !two) return expect.fail('two people are needed');
    const [call] = await one.pending(threadId);
    const result = async () => lines((await loaded(store, threadId)).state.history)?.[3];
    return { threadId, ran, one, two, key: call?.key ?? '', resume: () => start().resume(), result };
  }

  it.each<readonly [string, CallDecision, CallDecision]>([
    ['an approval', approve, approve],
    ['a rejection', approve, reject],
  ])('[E9] approved, and then given %s: the first counts, and the second is told so', async (_which, first, second) => {
    const { threadId, ran, one, two, key, resume, result } = await waiting();
    expect(await one.decide(threadId, key, first)).toEqual({ counted: true, decision: first });
    const before = await loaded(opened(openStore), threadId);
    expect(await two.decide(threadId, key, second)).toEqual({ counted: false, decision: first });
    expect(await loaded(opened(openStore), threadId)).toEqual(before);
    expect(await resume()).toMatchObject({ answer: 'Done.', durable: true });
    expect([ran, await result()]).toEqual([[{ amount: 7 }], 'tool: refund 1']);
  });

  it(`[E9] approved and rejected at once, ${rounds} rounds: one counts, both are told which, and that is what happens`, async () => {
    const people = [createThreads(opened(openStore)), createThreads(opened(openStore))];
    await inRounds(async (round) => {
      const { threadId, ran, one, two, key, resume, result } = await waiting(people);
      const said = round % 4 === 0 ? ([approve, approve] as const) : ([approve, reject] as const);
      const receipts = await Promise.all([one.decide(threadId, key, said[0]), two.decide(threadId, key, said[1])]);
      const counted = receipts.findIndex((receipt) => receipt.counted);
      const decision = said[counted] ?? expect.fail('no decision counted');
      expect(receipts[1 - counted]).toEqual({ counted: false, decision });
      expect(await resume()).toMatchObject({ answer: 'Done.', durable: true });
      const approved = decision.verdict === 'approve';
      expect([ran.length, await result()]).toEqual(approved ? [1, 'tool: refund 1'] : [0, 'tool: Rejected: too much']);
    });
  });

  it('[E9] whose arguments were changed is not approved by a decision for the former ones', async () => {
    const { threadId, ran, one, two, key, resume } = await waiting();
    const changed = await two.propose(threadId, key, { amount: 5 });
    expect(changed.key).not.toBe(key);
    const before = await loaded(opened(openStore), threadId);
    await expect(one.decide(threadId, key, approve)).rejects.toMatchObject({ code: 'not_found' });
    expect(await loaded(opened(openStore), threadId)).toEqual(before);
    expect(await resume()).toMatchObject({ status: 'paused', calls: [{ key: changed.key }] });
    expect(ran).toEqual([]);
    expect(await one.decide(threadId, changed.key, approve)).toMatchObject({ counted: true });
    expect(await resume()).toMatchObject({ answer: 'Done.' });
    expect(ran).toEqual([{ amount: 5 }]);
  });

  it(`[E9] approved as its arguments change, ${rounds} rounds: it runs with what was approved, or waits anew`, async () => {
    const people = [createThreads(opened(openStore)), createThreads(opened(openStore))];
    await inRounds(async () => {
      const { threadId, ran, one, two, key, resume } = await waiting(people);
      const [approved, changed] = await Promise.allSettled([
        one.decide(threadId, key, approve),
        two.propose(threadId, key, { amount: 5 }),
      ]);
      expect([approved.status, changed.status].sort()).toEqual(['fulfilled', 'rejected']);
      const counts = approved.status === 'fulfilled';
      expect(await resume()).toMatchObject({ status: counts ? 'done' : 'paused' });
      expect(ran).toEqual(counts ? [{ amount: 7 }] : []);
    });
  });

  it('[E9] that has run, or that is not there, takes no decision, and nothing is written', async () => {
    const { threadId, ran, one, two, key, resume } = await waiting();
    await expect(two.decide(threadId, `${key}0`, approve)).rejects.toMatchObject({ code: 'not_found' });
    await one.decide(threadId, key, approve);
    await resume();
    const before = await loaded(opened(openStore), threadId);
    for (const late of [approve, reject]) {
      await expect(two.decide(threadId, key, late)).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await loaded(opened(openStore), threadId)).toEqual(before);
    expect(await resume()).toMatchObject({ answer: 'Done.' });
    expect(ran).toEqual([{ amount: 7 }]);
  });
});
