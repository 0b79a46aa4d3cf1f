import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { sleep } from '../protocol/runtime.ts';
import type { CallDecision } from '../state/schema.ts';
import { asksFor, createWorld, named, says, type World } from '../testing/agents.ts';
import { settle } from '../testing/virtual-runtime.ts';
import { createThreads } from '../threads/threads.ts';
import type { RunResult } from './api.ts';
import type { Tool } from './tool.ts';

const threadsOf = ({ store, runtime }: World) => createThreads(defineCheckpointer(store, runtime), { runtime });
const texts = async (world: World, threadId = 't') =>
  (await threadsOf(world).get(threadId))?.history.map(({ content }) => content);
const hangs = () => new Promise<never>(() => {});
const keysOf = (result: RunResult) => (result.status === 'paused' ? result.calls.map(({ key }) => key) : []);

describe('the question whether a call needs approval', () => {
  it('is asked with the arguments that the tool would get: defaults of its schema count', async () => {
    const ran: unknown[] = [];
    const pay = named('pay', (args) => void ran.push(args), {
      parameters: v.object({ amount: v.optional(v.number(), 500) }),
      jsonSchema: { type: 'object' },
      needsApproval: (args) => (args as { amount: number }).amount > 100,
    });
    expect(
      await createWorld()
        .process([asksFor('pay')], [pay])
        .agent.run('x'),
    ).toMatchObject({ status: 'paused' });
    expect(ran).toEqual([]);
  });

  it.each([() => 1, () => 'yes', () => undefined, () => Promise.reject(new Error('no'))])(
    'that is not answered with no is answered with yes: %s',
    async (needsApproval) => {
      const pay = named('pay', () => 1, { needsApproval: needsApproval as never });
      expect(
        await createWorld()
          .process([asksFor('pay')], [pay])
          .agent.run('x'),
      ).toMatchObject({ status: 'paused' });
    },
  );

  it.each([
    { needsApproval: 'always' },
    { needsApproval: 1 },
    { effect: 'once', onUnknown: 'ask' },
    { effect: 'once', reconcile: true },
  ])('is refused where it is none: %j', (more) => {
    const pay = named('pay', () => 1, more as unknown as Partial<Tool>);
    expect(() => createWorld().process([], [pay])).toThrow(/needsApproval|onUnknown|reconcile/);
  });

  it('that never ends is ended with its run', async () => {
    const world = createWorld();
    const bot = world.process([asksFor('pay')], [named('pay', () => 1, { needsApproval: hangs })]);
    const leaving = new AbortController();
    const running = expect(bot.agent.run('x', { signal: leaving.signal })).rejects.toMatchObject({ code: 'aborted' });
    await settle();
    leaving.abort();
    await running;
  });
});

describe('what a person has decided', () => {
  const refund = named('refund', () => 1, { needsApproval: true });
  const answered = async () => {
    const world = createWorld();
    const bot = world.process([asksFor('refund', 'refund'), says('ok')], [refund]);
    const [key = ''] = keysOf(await bot.agent.run('please'));
    const threads = threadsOf(world);
    await threads.decide('t', key, { verdict: 'answer', result: 'paid by hand' });
    return { world, bot, threads };
  };

  it('is kept where a new input settles the turn, where the run is cancelled, and in a fork', async () => {
    const first = await answered();
    await first.bot.agent.run('next', { onPaused: 'reject' });
    expect(await texts(first.world)).toContain('paid by hand');
    const second = await answered();
    expect(await texts(second.world, await second.threads.fork('t'))).toContain('paid by hand');
    await second.threads.cancel('t');
    expect(await second.threads.pending('t')).toEqual([]);
    await second.bot.agent.run('next');
    expect(await texts(second.world)).toContain('paid by hand');
  });

  it('counts for the last of several proposals, made while the owner was busy', async () => {
    const world = createWorld();
    const ran: unknown[] = [];
    const tools = [
      named('refund', (args) => void ran.push(args), { needsApproval: true }),
      named('slow', () => sleep(world.runtime, 12_000)),
    ];
    const running = world.process([asksFor('refund', 'slow'), says('done')], tools).agent.run('please');
    await world.runtime.advance(1_000);
    const threads = threadsOf(world);
    const [call] = await threads.pending('t');
    const first = await threads.propose('t', call?.key ?? '', { amount: 1 });
    const second = await threads.propose('t', first.key, { amount: 2 });
    await threads.decide('t', second.key, { verdict: 'approve' });
    expect(await world.runtime.until(running)).toMatchObject({ status: 'done' });
    expect(ran).toEqual([{ amount: 2 }]);
  });

  describe('on other arguments than the model sent', () => {
    const proposedTo = async (execute: Tool['execute'] = () => 'paid') => {
      const world = createWorld();
      const pay = named('pay', execute, { needsApproval: true });
      const bot = world.process([asksFor('pay'), says('ok'), says('fine')], [pay]);
      const [key = ''] = keysOf(await bot.agent.run('please'));
      const threads = threadsOf(world);
      const proposal = await threads.propose('t', key, { amount: 5 });
      const results = async (threadId = 't') =>
        (await threads.get(threadId))?.history.filter(({ role }) => role === 'tool');
      return { bot, threads, results, key: proposal.key };
    };
    const told = '[A person set the arguments of this call to {"amount":5}.]';
    const kept = { tool_call_id: 'c1', proposed_arguments: '{"amount":5}' };

    it.each([
      ['ran', { verdict: 'approve' }, 'paid', {}],
      ['was answered by hand', { verdict: 'answer', result: 'by hand' }, 'by hand', {}],
      ['was rejected', { verdict: 'reject', reason: 'too much' }, 'Rejected: too much', { outcome: 'rejected' }],
    ] as const)('is kept with the result where the call %s; the model is told', async (_, decision, content, more) => {
      const { bot, threads, results, key } = await proposedTo();
      await threads.decide('t', key, decision);
      await bot.agent.resume();
      expect(await results()).toEqual([{ role: 'tool', name: 'pay', content, metadata: { ...kept, ...more } }]);
      expect(bot.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: `${told} ${content}` });
    });

    it('is kept where the call failed', async () => {
      const { bot, threads, results, key } = await proposedTo(() => Promise.reject(new Error('no money')));
      await threads.decide('t', key, { verdict: 'approve' });
      await bot.agent.resume();
      expect(await results()).toMatchObject([{ content: 'Error: no money', metadata: kept }]);
    });

    it('is kept where the turn is settled by a new input, and in a fork', async () => {
      const { bot, threads, results } = await proposedTo();
      const fork = await threads.fork('t');
      expect(await results(fork)).toMatchObject([{ content: 'Not run: not in this fork.', metadata: kept }]);
      await bot.agent.run('never mind', { onPaused: 'reject' });
      expect(await results()).toMatchObject([{ metadata: { ...kept, outcome: 'rejected' } }]);
    });

    it('is not said of a call that keeps its own', async () => {
      const { bot, threads } = await answered();
      for (const { key } of await threads.pending('t')) await threads.decide('t', key, { verdict: 'approve' });
      await bot.agent.resume();
      const results = (await threads.get('t'))?.history.filter(({ role }) => role === 'tool');
      expect(results?.map(({ metadata }) => metadata)).toEqual([{ tool_call_id: 'c1' }, { tool_call_id: 'c2' }]);
      expect(bot.requests.at(-1)?.messages.at(-1)?.content).toBe('1');
    });
  });

  const diedAfterApproval = async () => {
    const world = createWorld();
    const pays = (execute: Tool['execute']) =>
      named('pay', execute, { effect: 'once', onUnknown: 'pause', needsApproval: true });
    const first = world.process([asksFor('pay')], [pays(hangs)]);
    const [key = ''] = keysOf(await first.agent.run('pay'));
    const threads = threadsOf(world);
    await threads.decide('t', key, { verdict: 'approve' });
    void first.agent.resume().catch(() => {});
    await settle();
    first.client.down('hangs');
    const second = world.process([says('unused'), says('done')], [pays(() => 'again')]);
    const paused = await second.agent.resume();
    expect(paused).toMatchObject({ status: 'paused', calls: [{ waitsFor: 'outcome', idempotencyKey: key }] });
    const [outcome = ''] = keysOf(paused);
    return { world, threads, second, approval: key, outcome };
  };

  it('on a start does not count for the outcome: a call whose process died is asked about anew', async () => {
    const { threads, second, outcome } = await diedAfterApproval();
    await threads.decide('t', outcome, { verdict: 'answer', result: 'paid' });
    expect(await second.agent.resume()).toMatchObject({ answer: 'done' });
  });

  it.each<CallDecision>([{ verdict: 'approve' }, { verdict: 'reject' }, { verdict: 'answer', result: 'by hand' }])(
    'on a start that has been asked about since is refused: who decided saw another question: %j',
    async (decision) => {
      const { world, threads, second, approval, outcome } = await diedAfterApproval();
      expect(outcome).not.toBe(approval);
      const refusal = { code: 'invalid_argument', path: 'key', message: expect.stringMatching(/something else/) };
      await expect(threads.decide('t', approval, decision)).rejects.toMatchObject(refusal);
      await expect(threads.propose('t', approval, { amount: 5 })).rejects.toMatchObject(refusal);
      await threads.decide('t', outcome, { verdict: 'answer', result: 'The bank has paid it.' });
      await expect(threads.decide('t', approval, decision)).rejects.toMatchObject(refusal);
      expect(await second.agent.resume()).toMatchObject({ answer: 'done' });
      expect(await texts(world)).toContain('The bank has paid it.');
    },
  );

  it('on an outcome is told to who decides on it later', async () => {
    const { threads, outcome } = await diedAfterApproval();
    const first = { verdict: 'answer', result: 'paid' } as const;
    expect(await threads.decide('t', outcome, first)).toEqual({ counted: true, decision: first });
    expect(await threads.decide('t', outcome, { verdict: 'reject' })).toEqual({ counted: false, decision: first });
  });

  it('on an outcome cannot be other arguments', async () => {
    const { threads, outcome } = await diedAfterApproval();
    const refusal = { code: 'invalid_argument', message: expect.stringMatching(/may have started/) };
    await expect(threads.propose('t', outcome, { amount: 5 })).rejects.toMatchObject(refusal);
  });
});

it('a pause that a tool asked for ends with its run: the next input is not paused by it', async () => {
  const world = createWorld();
  const snooze = named('snooze', (_, { pause }) => pause({ reason: 'later' }));
  const bot = world.process([asksFor('snooze', 'slow'), says('fine')], [snooze, named('slow', hangs)]);
  const running = bot.agent.run('one').catch(() => {});
  await world.runtime.advance(1_000);
  await threadsOf(world).cancel('t');
  await world.runtime.until(running);
  expect(await bot.agent.run('two')).toMatchObject({ status: 'done', answer: 'fine' });
});
