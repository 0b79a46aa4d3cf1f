import { randomUUID } from 'node:crypto';
import { type Checkpointer, createThreads, type Threads } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { calls, createGate, lines, says, startProcess, told, tool } from '../agent.ts';
import { overheard } from '../overheard.ts';
import { loaded, revisionsOf } from '../stored.ts';
import { opened, stores } from '../stores.ts';
import { wiredRedis } from './wired.ts';

const once = (act: () => Promise<unknown>) => {
  let left = 1;
  return async () => (left-- > 0 ? act() : undefined);
};

describe.each(wiredRedis)('on $name, a request on top of a write whose answer was lost', ({ open, openWired }) => {
  /** An owner whose save of what `work` returned is stored, and who hears of it only when `request` is stored on top. */
  async function meet(request: (threads: Threads, threadId: string) => Promise<unknown>, turn = calls('work', {})) {
    const threadId = randomUUID();
    const direct = open();
    const { store, wire } = await openWired();
    const ran: string[] = [];
    const tools = [
      tool('work', () => `worked ${ran.push('work')}`),
      tool('refund', () => `refunded ${ran.push('refund')}`, { needsApproval: true }),
    ];
    const asking = overheard(
      store,
      once(() => request(createThreads(direct), threadId)),
    );
    const owner = startProcess(asking, [turn, says('Done.')], tools);
    const shot = wire.swallowReply((bytes) => bytes.includes('worked 1'));
    const outcome = await owner
      .agent(threadId)
      .run('Go')
      .catch((error: { code: string }) => error.code);
    await shot.fired;
    expect([owner.warnings, told(owner)]).toEqual([[], []]);
    const another = () => startProcess(direct, [says('unused'), says('Done.')], tools).agent(threadId);
    return { direct, threadId, ran, outcome, another };
  }

  const worked = ['system: Be helpful.', 'user: Go', 'assistant: null', 'tool: worked 1'];

  async function expectStored(store: Checkpointer, threadId: string, history: readonly string[], phase: string) {
    const { state } = await loaded(store, threadId);
    expect(lines(state.history)).toEqual(history);
    expect(state.run).toMatchObject({ phase, owner: null, calls: [] });
    expect(await revisionsOf(store, threadId)).toHaveLength(state.current_step);
    return state.current_step;
  }

  it('[E18] a pause is obeyed, and the write is not applied again', async () => {
    const { direct, threadId, ran, outcome, another } = await meet((threads, id) => threads.pause(id));
    expect(outcome).toMatchObject({ status: 'paused', durable: true, step: 2, pause: { kind: 'request' } });
    expect(await expectStored(direct, threadId, worked, 'paused')).toBe(2);
    expect(await another().resume()).toMatchObject({ answer: 'Done.', durable: true });
    expect(await expectStored(direct, threadId, [...worked, 'assistant: Done.'], 'done')).toBe(3);
    expect(ran).toEqual(['work']);
  });

  it('[E18] a cancel is obeyed, and the write is not applied again', async () => {
    const { direct, threadId, ran, outcome, another } = await meet((threads, id) => threads.cancel(id));
    expect(outcome).toBe('aborted');
    expect(await expectStored(direct, threadId, worked, 'cancelled')).toBe(2);
    await expect(another().resume()).rejects.toMatchObject({ code: 'aborted' });
    expect(ran).toEqual(['work']);
  });

  it('[E18] a decision counts in the same turn, and the write is not applied again', async () => {
    const approve = async (threads: Threads, id: string) => {
      const [call] = await threads.pending(id);
      expect(await threads.decide(id, call?.key ?? '', { verdict: 'approve' })).toMatchObject({ counted: true });
    };
    const { direct, threadId, ran, outcome } = await meet(approve, calls('refund', {}, 'work', {}));
    expect(outcome).toMatchObject({ status: 'done', durable: true });
    const refunded = [...worked.slice(0, 3), 'tool: refunded 2', 'tool: worked 1', 'assistant: Done.'];
    expect(await expectStored(direct, threadId, refunded, 'done')).toBe(3);
    expect(ran).toEqual(['work', 'refund']);
  });
});

describe.each(wiredRedis)('on $name, a decision whose answer was lost', ({ open, openWired }) => {
  it.each(['once', 'to the end of the run'] as const)(
    '[E29] counts, and its sender is told so, although the owner has saved %s on top of it',
    async (how) => {
      const threadId = randomUUID();
      const [stored, decided] = [createGate(), createGate()];
      const refunds: unknown[] = [];
      const started = createGate();
      const hold = tool('hold', async () => {
        stored.open();
        await decided.passed;
        return 'held';
      });
      const finishing = createGate();
      const refund = tool(
        'refund',
        async (args) => {
          refunds.push(args);
          started.open();
          await finishing.passed;
          return 'refunded';
        },
        { needsApproval: true },
      );
      const owner = startProcess(open(), [calls('refund', { n: 1 }, 'hold', {}), says('Done.')], [hold, refund]);
      const running = owner.agent(threadId).run('Go');
      await stored.passed;
      const { store, wire } = await openWired();
      const goOn = async () => {
        decided.open();
        await started.passed;
        if (how === 'once') return;
        finishing.open();
        await running;
      };
      const person = createThreads(overheard(store, once(goOn)));
      const [call] = await person.pending(threadId);
      const shot = wire.swallowReply((bytes) => bytes.includes('approve'));
      const receipt = await person.decide(threadId, call?.key ?? '', { verdict: 'approve' });
      await shot.fired;
      expect(receipt).toEqual({ counted: true, decision: { verdict: 'approve' } });
      finishing.open();
      expect(await running).toMatchObject({ status: 'done', answer: 'Done.', durable: true });
      expect(refunds).toEqual([{ n: 1 }]);
      const { state } = await loaded(open(), threadId);
      expect(lines(state.history)?.slice(2)).toEqual([
        'assistant: null',
        'tool: refunded',
        'tool: held',
        'assistant: Done.',
      ]);
    },
  );
});

describe.each(stores.filter(([name]) => name !== 'kv'))('on %s, an answer', (_, openStore) => {
  async function answerMeets(request: (threads: Threads, threadId: string) => Promise<unknown>) {
    const threadId = randomUUID();
    const store = opened(openStore);
    const person = createThreads(store);
    const asked: number[] = [];
    const answer = async () => {
      asked.push(1);
      expect(await request(person, threadId)).toBe(true);
      return says('Done.');
    };
    const owner = startProcess(opened(openStore), [answer, says('And more.')]);
    const outcome = await owner
      .agent(threadId)
      .run('Go', { inputId: 'i1' })
      .catch((error: { code: string }) => error.code);
    expect([owner.warnings, told(owner)]).toEqual([[], []]);
    expect(asked).toHaveLength(1);
    const { state } = await loaded(store, threadId);
    expect(lines(state.history)).toEqual(['system: Be helpful.', 'user: Go', 'assistant: Done.']);
    const nobody = startProcess(opened(openStore), [() => expect.fail('the model was asked')]).agent(threadId);
    return { outcome, run: state.run, nobody, next: owner.agent(threadId), store, threadId };
  }

  it('[E27] that lands on a pause ends the run: it is done, and the model is not asked again', async () => {
    const { outcome, run, nobody, next } = await answerMeets((person, threadId) => person.pause(threadId));
    expect(outcome).toMatchObject({ status: 'done', answer: 'Done.', durable: true });
    expect(run).toMatchObject({ phase: 'done', owner: null, pause: null });
    expect(await nobody.resume()).toMatchObject({ answer: 'Done.', durable: true });
    expect(await next.run('More')).toMatchObject({ answer: 'And more.', durable: true });
  });

  it('[E27] that lands on a cancel stays in the history of a cancelled run, and the model is not asked again', async () => {
    const { outcome, run, nobody, next, store, threadId } = await answerMeets((person, id) => person.cancel(id));
    expect(outcome).toBe('aborted');
    expect(run).toMatchObject({ phase: 'cancelled', owner: null, error: { code: 'aborted' } });
    await expect(nobody.resume()).rejects.toMatchObject({ code: 'aborted' });
    await expect(nobody.run('Go', { inputId: 'i1' })).rejects.toMatchObject({ code: 'aborted' });
    expect(await next.run('More')).toMatchObject({ answer: 'And more.', durable: true });
    const { state } = await loaded(store, threadId);
    expect(lines(state.history)?.slice(1)).toEqual([
      'user: Go',
      'assistant: Done.',
      'user: More',
      'assistant: And more.',
    ]);
  });
});
