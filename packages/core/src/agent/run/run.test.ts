import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../model/model.ts';
import { defineCheckpointer } from '../../protocol/define.ts';
import { sleep } from '../../protocol/runtime.ts';
import { asksFor, createWorld, named, says, type World } from '../../testing/agents.ts';
import { asks, runRecord, toolCall, user } from '../../testing/samples.ts';
import { settle } from '../../testing/virtual-runtime.ts';
import { textOf } from '../record/text.ts';

const threadsOf = ({ store, runtime }: World) => defineCheckpointer(store, runtime);
async function stateOf(world: World, threadId = 't') {
  const thread = await threadsOf(world).load(threadId);
  if (!thread.found) throw new Error('There is no thread.');
  return thread.state;
}
const contentsOf = async (world: World, threadId = 't') =>
  (await stateOf(world, threadId)).history.map(({ content }) => content);
/** Answers with what it was asked last. */
const echo = Array.from(
  { length: 9 },
  () =>
    ({ messages }: Pick<ModelRequest, 'messages'>) =>
      says(`re ${textOf(messages.at(-1) ?? user(''))}`),
);
const never = () => new Promise<never>(() => {});

describe('a run', () => {
  it('claims the thread before the model is asked, and is done in one write with its answer', async () => {
    const world = createWorld();
    const bot = world.process([
      () => {
        expect(world.store.written).toHaveLength(1);
        return says('hello');
      },
    ]);
    const result = await bot.agent.run('hi');
    expect(result).toMatchObject({ status: 'done', answer: 'hello', durable: true, threadId: 't', step: 1 });
    expect(world.store.written).toHaveLength(2);
    expect(bot.types()).toEqual(['run_started', 'thought', 'run_ended']);
    expect(bot.agent.status()).toEqual({ running: false, durable: true, volatile: false, unsavedSteps: 0 });
  });

  it('goes on with what is stored, and takes a history only for a new thread', async () => {
    const world = createWorld();
    await world.process(echo).agent.run('one', { history: [user('before')] });
    await world.process(echo).agent.run('two', { history: [user('ignored')] });
    expect(await contentsOf(world)).toEqual(['Be kind.', 'before', 'one', 're one', 'two', 're two']);
  });

  it('takes its input as of the moment of the call', async () => {
    const world = createWorld();
    const parts = [{ type: 'text', text: 'hi' }];
    const history = [user('before')];
    const running = world.process(echo).agent.run(parts, { history });
    parts.push({ type: 'text', text: 'later' });
    history.push(user('later'));
    await running;
    expect((await contentsOf(world)).slice(0, 3)).toEqual(['Be kind.', 'before', [{ type: 'text', text: 'hi' }]]);
  });

  it.each<[string, unknown, string]>([
    ['a number', 7, 'invalid_argument'],
    ['nothing', undefined, 'invalid_argument'],
    ['half a character', '\ud800', 'not_serializable'],
    ['a Date', [{ at: new Date(0) }], 'not_serializable'],
    ['more than a message may have', 'x'.repeat(1_000_001), 'too_large'],
  ])('refuses %s before anything is written', async (_, input, code) => {
    const world = createWorld();
    await expect(world.process(echo).agent.run(input as string)).rejects.toMatchObject({ code });
    expect(world.store.written).toEqual([]);
  });

  it('that refused its input in an outage leaves what is held as it was', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    bot.client.down();
    await world.runtime.until(bot.agent.run('one'));
    await expect(bot.agent.run('x'.repeat(1_000_001))).rejects.toMatchObject({ code: 'too_large' });
    bot.client.up();
    await world.runtime.advance(30_000);
    expect(await contentsOf(world)).toEqual(['Be kind.', 'one', 're one']);
  });

  it('leaves no timer and nothing held behind', async () => {
    const world = createWorld();
    const bot = world.process([asksFor('a'), says('done')], [named('a', () => 'x', { timeoutMs: 60_000 })]);
    await bot.agent.run('hi');
    await settle();
    expect(world.runtime.pending('all')).toBe(0);
    expect(await bot.agent.close()).toEqual({ unsaved: [] });
  });

  it('whose wall clock goes back writes no earlier time, and is not confused', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    await bot.agent.run('one');
    const before = (await stateOf(world)).updated_at;
    world.runtime.shiftWallClock(-3_600_000);
    expect(await bot.agent.run('two')).toMatchObject({ durable: true });
    expect((await stateOf(world)).updated_at).toBe(before);
  });
});

describe('runs of one process on one thread', () => {
  it('[E11] queue: they never interleave, and each sees the one before', async () => {
    const world = createWorld();
    const slow = Array.from({ length: 9 }, () => async ({ messages }: Pick<ModelRequest, 'messages'>) => {
      await sleep(world.runtime, 50);
      return says(`re ${textOf(messages.at(-1) ?? user(''))}`);
    });
    const bot = world.process(slow);
    const other = bot.factory.create({ threadId: 't' });
    await world.runtime.until(Promise.all([bot.agent.run('1'), other.run('2'), bot.agent.run('3')]));
    expect(await contentsOf(world)).toEqual(['Be kind.', '1', 're 1', '2', 're 2', '3', 're 3']);
  });

  it('go on after one that failed', async () => {
    const world = createWorld();
    const bot = world.process([
      ({ messages }) => {
        if (messages.length === 2) throw new Error('no');
        return says('yes');
      },
    ]);
    const [first, second] = await Promise.allSettled([bot.agent.run('1'), bot.agent.run('2')]);
    expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled']);
  });

  it('one whose caller gave up in the queue ends at once, and does nothing', async () => {
    const world = createWorld();
    const bot = world.process([() => sleep(world.runtime, 50_000).then(() => says('slow')), says('never')]);
    const first = bot.agent.run('1');
    const aborter = new AbortController();
    const second = bot.agent.run('2', { signal: aborter.signal });
    await settle();
    aborter.abort();
    await expect(second).rejects.toMatchObject({ code: 'aborted', threadId: 't' });
    expect(await world.runtime.until(first)).toMatchObject({ answer: 'slow' });
    await settle();
    expect(await contentsOf(world)).toEqual(['Be kind.', '1', 'slow']);
  });

  it('one whose signal was aborted before does nothing', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    await expect(bot.agent.run('1', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    expect(bot.client.calls).toEqual([]);
  });

  it('leave no listener on the signal of a caller who uses it for many', async () => {
    const world = createWorld();
    const { signal } = new AbortController();
    const listening = new Set<unknown>();
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    Object.assign(signal, {
      addEventListener: (...args: Parameters<typeof add>) => {
        listening.add(args[1]);
        add(...args);
      },
      removeEventListener: (...args: Parameters<typeof remove>) => {
        listening.delete(args[1]);
        remove(...args);
      },
    });
    const bot = world.process(echo);
    const runs = ['1', '2', '3'].map((input) => bot.agent.run(input, { signal }));
    expect(listening.size).toBe(3);
    await Promise.all(runs);
    await settle();
    expect(listening.size).toBe(0);
  });
});

describe('two processes on one thread', () => {
  it('the second takes over; the first stops, starts no further tool, and writes nothing more', async () => {
    const world = createWorld();
    const ran: string[] = [];
    const second = world.process([says('unused'), says('second')], [named('a', () => 'a'), named('b', () => 'b')]);
    const first = world.process(
      [asksFor('a', 'b'), says('first')],
      [
        named('a', async () => {
          ran.push('a');
          await second.agent.run('mine', { onBusy: 'takeOver' });
        }),
        named('b', () => ran.push('b')),
      ],
      { toolConcurrency: 1 },
    );
    await expect(world.runtime.until(first.agent.run('hi'))).rejects.toMatchObject({ code: 'taken_over' });
    expect(ran).toEqual(['a']);
    expect(first.types().at(-1)).toBe('run_ended');
    expect(await contentsOf(world)).toEqual(['Be kind.', 'hi', null, 'a', 'b', 'mine', 'second']);
  });

  it('or is refused, where it does not want to take over', async () => {
    const world = createWorld();
    const first = world.process([never]);
    void first.agent.run('hi').catch(() => {});
    await settle();
    await expect(world.process(echo).agent.run('mine', { onBusy: 'throw' })).rejects.toMatchObject({ code: 'busy' });
    await expect(world.process(echo, [], { onBusy: 'throw' }).agent.run('mine')).rejects.toMatchObject({
      code: 'busy',
    });
  });

  it('that claim it in the same moment: one is first, the other goes on from there', async () => {
    const world = createWorld();
    const first = world.process(echo);
    const second = world.process(echo);
    second.client.next('save', () => first.agent.run('first'));
    expect(await second.agent.run('second')).toMatchObject({ answer: 're second', durable: true });
    expect(await contentsOf(world)).toEqual(['Be kind.', 'first', 're first', 'second', 're second']);
  });

  it('of which one builds on the other`s claim, whose answer was lost: no input is there twice', async () => {
    const world = createWorld();
    const first = world.process(echo);
    const second = world.process(echo);
    first.client.next('save', 'hangs_applied');
    const running = first.agent.run('first');
    const outcome = expect(running).rejects.toMatchObject({ code: 'superseded' });
    await settle();
    await second.agent.run('second', { onBusy: 'takeOver' });
    await world.runtime.advance(10_000);
    await outcome;
    expect(await contentsOf(world)).toEqual(['Be kind.', 'first', 'second', 're second']);
  });

  it('a delete by the other stops the run, and nothing of it comes back', async () => {
    const world = createWorld();
    const deleting = async () => {
      await threadsOf(world).delete('t');
      return says('too late');
    };
    await expect(world.process([deleting]).agent.run('hi')).rejects.toMatchObject({ code: 'deleted' });
    expect((await threadsOf(world).load('t')).found).toBe(false);
    expect(await world.process(echo).agent.run('anew')).toMatchObject({ durable: true });
    expect(await contentsOf(world)).toEqual(['Be kind.', 'anew', 're anew']);
  });
});

describe('resume', () => {
  const died = async (world: World, run: Parameters<typeof runRecord>[0] = {}) => {
    const calls = run?.calls ?? [];
    const history = [
      user('hi'),
      ...(calls.length > 0 ? [asks(...calls.map(({ id, tool }) => toolCall(id, tool)))] : []),
    ];
    await threadsOf(world).save('t', { state: { history, run: runRecord({ owner: 'gone:1:x', ...run }) } });
  };

  it('goes on where a process died', async () => {
    const world = createWorld();
    await died(world);
    const bot = world.process(echo);
    expect(await bot.agent.resume()).toMatchObject({ answer: 're hi', durable: true });
    expect(bot.events[0]).toMatchObject({ type: 'run_started', resumed: true });
  });

  it('reads the thread once', async () => {
    const world = createWorld();
    await died(world);
    const bot = world.process(echo);
    await bot.agent.resume();
    expect(bot.client.calls.map(({ call }) => call)).toEqual(['load', 'save', 'save']);
  });

  it('of a thread that is done gives the answer: no model, no tool, no write', async () => {
    const world = createWorld();
    await world.process(echo).agent.run('hi');
    const written = world.store.written.length;
    const bot = world.process([never]);
    expect(await bot.agent.resume()).toMatchObject({ answer: 're hi', durable: true });
    expect([world.store.written.length, bot.requests, bot.events]).toEqual([written, [], []]);
  });

  it('of a run that another process finishes meanwhile gives that answer, and does not think again', async () => {
    const world = createWorld();
    await died(world);
    const bot = world.process([never]);
    const other = world.process(echo);
    bot.client.next('save', () => other.agent.resume());
    expect(await bot.agent.resume()).toMatchObject({ answer: 're hi' });
    expect(bot.requests).toEqual([]);
  });

  it('of a run that failed throws its error', async () => {
    const world = createWorld();
    await died(world, { phase: 'failed', owner: null, error: { code: 'max_iterations' } });
    await expect(world.process(echo).agent.resume()).rejects.toMatchObject({ code: 'max_iterations' });
  });

  it.each<[string, (world: World) => Promise<unknown>]>([
    ['no thread', async () => {}],
    ['a thread that was deleted', (world) => threadsOf(world).delete('t')],
    ['a thread that no agent has run on', (world) => threadsOf(world).save('t', { state: { history: [] } })],
  ])('of %s is not_found, and holds nothing', async (_, before) => {
    const world = createWorld();
    await before(world);
    const bot = world.process(echo);
    await expect(bot.agent.resume()).rejects.toMatchObject({ code: 'not_found', threadId: 't' });
    await expect(bot.agent.resume()).rejects.toMatchObject({ code: 'not_found' });
    expect(bot.agent.status()).toMatchObject({ running: false, durable: true });
    await bot.agent.close();
    expect(world.runtime.monotonic()).toBe(0);
  });

  it('of a thread that is deleted just before its claim says so, and holds nothing', async () => {
    const world = createWorld();
    await died(world);
    const bot = world.process(echo);
    bot.client.next('save', () => threadsOf(world).delete('t'));
    await expect(bot.agent.resume()).rejects.toMatchObject({ code: 'deleted' });
    expect(bot.agent.status()).toMatchObject({ running: false });
  });

  it('with the store down throws: there is nothing to go on from', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    bot.client.down();
    await expect(world.runtime.until(bot.agent.resume())).rejects.toMatchObject({ code: 'unavailable' });
    expect(world.runtime.monotonic()).toBeLessThanOrEqual(5_000);
  });

  it('gives a Think up whose process died too often', async () => {
    const world = createWorld();
    await died(world, { attempt: 2 });
    const bot = world.process([never]);
    await expect(bot.agent.resume()).rejects.toMatchObject({
      code: 'max_attempts',
      message: expect.stringContaining('died, or was taken over, 3 times'),
    });
    expect(bot.requests).toEqual([]);
  });

  it('gives a call up whose process died too often: the model is told, and the run goes on', async () => {
    const world = createWorld();
    const call = {
      id: 'c',
      tool: 'kills',
      key: 'k',
      effect: 'idempotent' as const,
      status: 'planned' as const,
      attempt: 2,
    };
    await died(world, { phase: 'act', calls: [call] });
    const bot = world.process([says('unused'), says('sorry')], [named('kills', () => expect.unreachable())]);
    expect(await bot.agent.resume()).toMatchObject({ answer: 'sorry' });
    expect((await contentsOf(world)).at(-2)).toMatch(
      /^Error: Given up: the process of this call died, or was taken over, 3 times/,
    );
  });
});

describe('with the store down', () => {
  it('a run begins in memory within its budget, says so once, and is stored when the store is back', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    bot.client.down('hangs');
    expect(await world.runtime.until(bot.agent.run('one'))).toMatchObject({ answer: 're one', durable: false });
    expect(world.runtime.monotonic()).toBeLessThanOrEqual(5_000);
    expect(bot.agent.status()).toEqual({ running: false, durable: false, volatile: true, unsavedSteps: 1 });
    expect(await bot.agent.run('two')).toMatchObject({ answer: 're two', durable: false });
    expect(bot.warnings).toHaveLength(1);
    bot.client.up();
    await world.runtime.advance(30_000);
    expect(await contentsOf(world)).toEqual(['Be kind.', 'one', 're one', 'two', 're two']);
    expect(bot.agent.status()).toEqual({ running: false, durable: true, volatile: false, unsavedSteps: 0 });
    expect(await bot.agent.run('three')).toMatchObject({ durable: true });
  });

  it('or throws, where the policy says so, and holds nothing', async () => {
    const world = createWorld();
    const bot = world.process(echo, [], { onStoreDown: 'throw' });
    bot.client.down();
    await expect(world.runtime.until(bot.agent.run('hi'))).rejects.toMatchObject({ code: 'unavailable' });
    bot.client.up();
    expect(await bot.agent.run('again')).toMatchObject({ durable: true });
  });

  it('or waits, where the policy says so; an abort ends the wait, whichever save it is', async () => {
    const outcomes = [];
    for (const save of [0, 1, 2]) {
      const world = createWorld();
      const bot = world.process(echo, [], { onStoreDown: 'wait' });
      const goesDown = async () => {
        bot.client.down();
        throw new Error('down');
      };
      if (save === 0) bot.client.down();
      else bot.client.next('save', ...Array<'fine'>(save - 1).fill('fine'), goesDown);
      const aborter = new AbortController();
      world.runtime.after(20_000, () => aborter.abort());
      const [outcome] = await world.runtime.until(
        Promise.allSettled([bot.agent.run('hi', { signal: aborter.signal })]),
      );
      outcomes.push(outcome);
      expect(world.runtime.monotonic()).toBeGreaterThanOrEqual(20_000);
      expect(world.runtime.monotonic()).toBeLessThan(22_000);
    }
    // The answer is there by then; that it is not stored is said.
    const done = { value: { answer: 're hi', durable: false } };
    expect(outcomes).toMatchObject([{ reason: { code: 'aborted' } }, { reason: { code: 'aborted' } }, done]);
  });

  it('or waits, where the policy says so; an abort ends the wait also of a save that only shows that the run lives', async () => {
    const world = createWorld();
    const bot = world.process([() => never()], [], { onStoreDown: 'wait' });
    const aborter = new AbortController();
    const running = expect(bot.agent.run('hi', { signal: aborter.signal })).rejects.toMatchObject({ code: 'aborted' });
    await world.runtime.advance(1_000);
    bot.client.down();
    await world.runtime.advance(9_000);
    aborter.abort();
    await world.runtime.until(running);
    expect(world.runtime.monotonic()).toBeLessThan(12_500);
  });

  it('an abort ends a load that is tried again and again', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    bot.client.down();
    const aborter = new AbortController();
    world.runtime.after(100, () => aborter.abort());
    await expect(world.runtime.until(bot.agent.run('hi', { signal: aborter.signal }))).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(world.runtime.monotonic()).toBe(100);
  });

  it('finds the thread gone on when it is back: the next run goes on from there', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    await bot.agent.run('one');
    bot.client.down();
    await world.runtime.until(bot.agent.run('lost'));
    await world.process(echo).agent.run('theirs');
    bot.client.up();
    await world.runtime.advance(30_000);
    expect(bot.types()).toContain('diverged');
    expect(await bot.agent.run('two')).toMatchObject({ durable: true });
    expect(await contentsOf(world)).toEqual(['Be kind.', 'one', 're one', 'theirs', 're theirs', 'two', 're two']);
  });

  it('a run that begins in the very moment of that begins from what is stored', async () => {
    const world = createWorld();
    const runs: Promise<unknown>[] = [];
    const onEvent = ({ type }: { type: string }) => {
      if (type === 'diverged') runs.push(bot.agent.run('two'));
    };
    const bot = world.process(echo, [], { onEvent });
    bot.client.down();
    await world.runtime.until(bot.agent.run('lost'));
    await world.process(echo).agent.run('theirs');
    bot.client.up();
    await world.runtime.advance(30_000);
    expect(await Promise.all(runs)).toMatchObject([{ answer: 're two', durable: true }]);
    expect(await contentsOf(world)).toEqual(['Be kind.', 'theirs', 're theirs', 'two', 're two']);
  });

  it('finds the thread gone on in the middle of a run: that run stops', async () => {
    const world = createWorld();
    const bot = world.process([
      async () => {
        await sleep(world.runtime, 50_000);
        return says('late');
      },
    ]);
    bot.client.down();
    const running = bot.agent.run('lost');
    const outcome = expect(running).rejects.toMatchObject({ code: 'taken_over' });
    await world.runtime.advance(10_000);
    await world.process(echo).agent.run('theirs');
    bot.client.up();
    await world.runtime.advance(30_000);
    await outcome;
    expect(bot.types().slice(-3)).toEqual(['diverged', 'run_ended', 'rejoined']);
    const fork = bot.events.find((event) => event.type === 'diverged');
    expect(await contentsOf(world, fork?.forkId)).toEqual(['Be kind.', 'lost']);
  });
});

describe('closing', () => {
  it('waits for what is under way, and takes no further runs', async () => {
    const world = createWorld();
    const bot = world.process([() => sleep(world.runtime, 500).then(() => says('slow'))]);
    const running = bot.agent.run('hi');
    const closing = bot.factory.close();
    await expect(bot.agent.run('more')).rejects.toMatchObject({ code: 'closed' });
    await expect(bot.agent.resume()).rejects.toMatchObject({ code: 'closed' });
    expect(await world.runtime.until(running)).toMatchObject({ answer: 'slow', durable: true });
    expect(await world.runtime.until(closing)).toEqual({ unsaved: [] });
  });

  it('ends in its time: a run that hangs is aborted, and nothing is at work after it', async () => {
    const world = createWorld();
    const bot = world.process([never]);
    const running = bot.agent.run('hi');
    const outcome = expect(running).rejects.toMatchObject({ code: 'closed' });
    expect(await world.runtime.until(bot.factory.close({ deadlineMs: 1_000 }))).toEqual({ unsaved: [] });
    expect(world.runtime.monotonic()).toBeLessThanOrEqual(1_020);
    await outcome;
    await settle();
    expect(world.runtime.pending('all')).toBe(0);
  });

  it('hands out what could not be stored, and stops trying', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    bot.client.down();
    await world.runtime.until(bot.agent.run('hi'));
    const { unsaved } = await world.runtime.until(bot.factory.close({ deadlineMs: 1_000 }));
    expect(unsaved.map(({ threadId, state }) => [threadId, state.history.length])).toEqual([['t', 3]]);
    await settle();
    expect(world.runtime.pending('all')).toBe(0);
  });

  it('tries once more while there is time: a store that is back gets everything', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    bot.client.down();
    await world.runtime.until(bot.agent.run('hi'));
    await world.runtime.advance(60_000);
    bot.client.up();
    expect(await world.runtime.until(bot.factory.close({ deadlineMs: 1_000 }))).toEqual({ unsaved: [] });
    expect(await contentsOf(world)).toEqual(['Be kind.', 'hi', 're hi']);
  });

  it('ends also where the policy is to wait for a store that never comes back', async () => {
    const world = createWorld();
    const bot = world.process(echo, [], { onStoreDown: 'wait' });
    bot.client.next('save', async () => {
      bot.client.down();
      throw new Error('down');
    });
    const running = bot.agent.run('hi');
    const outcome = expect(running).rejects.toMatchObject({ code: 'closed' });
    await world.runtime.advance(10_000);
    const { unsaved } = await world.runtime.until(bot.factory.close({ deadlineMs: 100 }));
    expect(unsaved).toHaveLength(1);
    await outcome;
    await world.runtime.advance(5_000);
    expect(world.runtime.pending('all')).toBe(0);
  });

  it('of one agent waits for its thread, and leaves the others', async () => {
    const world = createWorld();
    const bot = world.process([never]);
    const other = bot.factory.create({ threadId: 'u' });
    void other.run('hi').catch(() => {});
    await settle();
    expect(await bot.agent.close()).toEqual({ unsaved: [] });
    expect(world.runtime.monotonic()).toBe(0);
    expect(other.status().running).toBe(true);
  });
});

describe('an agent without a thread id', () => {
  it('remembers for as long as it lives, stores nothing, and closes at once', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    const agent = bot.factory.create();
    expect(await agent.run('one')).toMatchObject({ answer: 're one', durable: false });
    expect(await agent.run('two')).toMatchObject({ answer: 're two', step: 2 });
    expect(await agent.resume()).toMatchObject({ answer: 're two', durable: false });
    expect(bot.client.calls).toEqual([]);
    expect(bot.warnings).toEqual([]);
    const { unsaved } = await agent.close();
    expect(unsaved[0]?.state.history).toHaveLength(5);
    expect(world.runtime.monotonic()).toBe(0);
    expect(() => agent.checkpointer).toThrow(/no store/);
  });

  it('has nothing to resume before its first run', async () => {
    await expect(createWorld().process(echo).factory.create().resume()).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a stream', () => {
  it('tells the text as it comes, the events, and the result', async () => {
    const world = createWorld();
    const events = [];
    for await (const event of world.process([says('hello')]).agent.stream('hi')) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(['run_started', 'text', 'thought', 'run_ended', 'result']);
  });

  it('that is left early cancels the run; nothing half is stored', async () => {
    const world = createWorld();
    const bot = world.process([
      ({ onText }) => {
        onText?.('hel');
        return never();
      },
    ]);
    for await (const event of bot.agent.stream('hi')) if (event.type === 'text') break;
    expect(await stateOf(world)).toMatchObject({
      run: { phase: 'cancelled', owner: null },
      history: [{}, { content: 'hi' }],
    });
    expect(bot.agent.status().running).toBe(false);
  });
});
