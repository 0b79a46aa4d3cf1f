import { randomUUID } from 'node:crypto';
import { createThreads, type Threads } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { calls, createGate, lines, says, startProcess, told, tool } from '../agent.ts';
import { deadlines } from '../deadlines.ts';
import { loaded, revisionsOf } from '../stored.ts';
import { wiredRedis } from './wired.ts';

const again = { timeout: 15_000 };

/**
 * An owner that is cut off from the store, alone, in its first tool; `held` is the tool in which it is when it comes
 * back.
 */
async function cutOff({ open, openWired }: (typeof wiredRedis)[number], turns: Parameters<typeof startProcess>[1]) {
  const threadId = randomUUID();
  const direct = open();
  const { store, wire } = await openWired();
  const ran: string[] = [];
  const [holding, held] = [createGate(), createGate()];
  const tools = [
    tool('cut', async () => {
      ran.push('cut');
      await wire.refuse();
      return 'cut off';
    }),
    tool('hold', async () => {
      ran.push('hold');
      holding.open();
      await held.passed;
      return 'held';
    }),
    tool('refund', () => `refunded ${ran.push('refund')}`, { needsApproval: true }),
  ];
  const owner = startProcess(store, turns, tools, deadlines);
  const another = () => startProcess(direct, turns, tools).agent(threadId);
  const comeBack = async () => {
    await wire.pass();
    await expect.poll(() => told(owner), again).toEqual(['volatile', 'rejoined']);
    expect(owner.warnings).toHaveLength(1);
  };
  const stored = async () => (await loaded(direct, threadId)).state;
  const steps = async () => (await revisionsOf(direct, threadId)).length;
  return { threadId, person: createThreads(direct), owner, another, comeBack, stored, steps, ran, holding, held };
}

const heldTurns = [calls('cut', {}), calls('hold', {}), says('Done.'), says('Still here.')];
const kept = ['system: Be helpful.', 'user: Go', 'assistant: null', 'tool: cut off', 'assistant: null'];

describe.each(wiredRedis)('on $name, an owner that is cut off and goes on in memory', (wired) => {
  it('[E20] obeys the decision that a person took meanwhile, and keeps its steps', async () => {
    const turns = [calls('refund', {}, 'cut', {}), says('Done.')];
    const { threadId, person, owner, another, comeBack, stored, steps, ran } = await cutOff(wired, turns);
    const paused = await owner.agent(threadId).run('Go');
    expect(paused).toMatchObject({ status: 'paused', durable: false, pause: { kind: 'person' } });
    const [call] = await person.pending(threadId);
    expect(await person.decide(threadId, call?.key ?? '', { verdict: 'approve' })).toMatchObject({ counted: true });
    await comeBack();
    const [refund, cut] = (await stored()).run?.calls ?? [];
    expect([refund?.decision?.verdict, cut?.result?.content]).toEqual(['approve', 'cut off']);
    expect(await another().resume()).toMatchObject({ answer: 'Done.', durable: true });
    expect(ran).toEqual(['cut', 'refund']);
    expect(lines((await stored()).history)).toEqual([
      ...kept.slice(0, 3),
      'tool: refunded 2',
      'tool: cut off',
      'assistant: Done.',
    ]);
    expect(await steps()).toBe(3);
  });

  /** It is back, in its second turn, after somebody has asked something of it. */
  async function askedWhileAway(request: (person: Threads, threadId: string) => Promise<boolean>) {
    const away = await cutOff(wired, heldTurns);
    const running = away.owner
      .agent(away.threadId)
      .run('Go')
      .catch((error: { code: string }) => error.code);
    await away.holding.passed;
    expect(await request(away.person, away.threadId)).toBe(true);
    await away.comeBack();
    return { ...away, running };
  }

  it('[E20] pauses, where a person asked for it, when the tool at work has ended; what it did is kept', async () => {
    const { threadId, running, held, another, stored, steps, ran } = await askedWhileAway((person, id) =>
      person.pause(id, { reason: 'lunch' }),
    );
    expect((await stored()).run).toMatchObject({
      phase: 'paused',
      owner: expect.any(String),
      pause: { reason: 'lunch' },
    });
    held.open();
    expect(await running).toMatchObject({ threadId, status: 'paused', durable: true, step: 4 });
    expect((await stored()).run).toMatchObject({ phase: 'paused', owner: null });
    expect(lines((await stored()).history)).toEqual([...kept, 'tool: held']);
    expect(await another().resume()).toMatchObject({ answer: 'Done.', durable: true });
    expect(ran).toEqual(['cut', 'hold']);
    expect(lines((await stored()).history)).toEqual([...kept, 'tool: held', 'assistant: Done.']);
    expect(await steps()).toBe(5);
  });

  it('[E20] stops, where a person cancelled it; what it did is kept, and nothing of it runs again', async () => {
    const { running, held, another, stored, steps, ran } = await askedWhileAway((person, id) => person.cancel(id));
    expect(await running).toBe('aborted');
    held.open();
    expect((await stored()).run).toMatchObject({ phase: 'cancelled', owner: null });
    expect(lines((await stored()).history)).toEqual(kept);
    expect(await another().run('Next')).toMatchObject({ status: 'done', durable: true });
    expect(ran).toEqual(['cut', 'hold']);
    expect(lines((await stored()).history)).toEqual([
      ...kept,
      'tool: Unknown: this call may or may not have run; its result was lost.',
      'user: Next',
      'assistant: Done.',
    ]);
    expect(await steps()).toBe(5);
  });

  it('[E30] keeps both runs where a second one began meanwhile, which a late cancel of the first does not stop', async () => {
    const turns = [calls('cut', {}), says('One.'), calls('hold', {}), says('Two.')];
    const { threadId, person, owner, comeBack, stored, steps, ran, holding, held } = await cutOff(wired, turns);
    const agent = owner.agent(threadId);
    expect(await agent.run('First')).toMatchObject({ answer: 'One.', durable: false });
    const second = agent.run('Second');
    await holding.passed;
    // As stored, the first run is still at work.
    expect(await person.cancel(threadId)).toBe(true);
    await comeBack();
    held.open();
    expect(await second).toMatchObject({ status: 'done', answer: 'Two.', durable: true });
    const { history, run } = await stored();
    expect(lines(history)).toEqual([
      'system: Be helpful.',
      'user: First',
      'assistant: null',
      'tool: cut off',
      'assistant: One.',
      'user: Second',
      'assistant: null',
      'tool: held',
      'assistant: Two.',
    ]);
    expect(run).toMatchObject({ phase: 'done', owner: null, error: null });
    expect(ran).toEqual(['cut', 'hold']);
    expect(await steps()).toBe(6);
  });
});
