import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { sleep } from '../protocol/runtime.ts';
import { asksFor, createWorld, named, says, type World } from '../testing/agents.ts';
import { settle } from '../testing/virtual-runtime.ts';
import { createThreads } from '../threads/threads.ts';
import type { PausedResult, RunResult } from './api.ts';
import type { StreamEvent } from './events.ts';

const threadsOf = ({ store, runtime }: World) => createThreads(defineCheckpointer(store, runtime), { runtime });
const texts = async (world: World) => (await threadsOf(world).get('t'))?.history.map(({ content }) => content);

/** A tool that needs approval, and notes what it ran with. */
function refunds(ran: unknown[]) {
  return named('refund', (args) => void ran.push(args), { needsApproval: true });
}

async function askingFor(...tools: string[]) {
  const world = createWorld();
  const ran: unknown[] = [];
  const others = [named('look', () => 'seen')];
  const first = world.process([asksFor(...tools)], [refunds(ran), ...others]);
  const paused = (await world.runtime.until(first.agent.run('please', { inputId: 'i1' }))) as PausedResult;
  const another = (...turns: Parameters<World['process']>[0]) =>
    world.process([says('unused'), ...turns], [refunds(ran), ...others]);
  return { world, ran, paused, another, threads: threadsOf(world) };
}

describe('a tool that needs approval', () => {
  it('pauses the run, after the other calls of the turn; another process decides, a third goes on', async () => {
    const { world, ran, paused, another, threads } = await askingFor('refund', 'look');
    expect(paused).toMatchObject({ status: 'paused', durable: true, pause: { kind: 'person' } });
    expect(paused.calls).toMatchObject([{ tool: 'refund', callId: 'c1', arguments: '{}', waitsFor: 'approval' }]);
    expect(ran).toEqual([]);
    const [call] = await threads.pending('t');
    expect(await threads.decide('t', call?.key ?? '', { verdict: 'approve' })).toMatchObject({ counted: true });
    const third = another(says('done'));
    expect(await world.runtime.until(third.agent.resume())).toMatchObject({ status: 'done', answer: 'done' });
    expect(ran).toEqual([{}]);
    expect(await texts(world)).toEqual(['Be kind.', 'please', null, 'null', 'seen', 'done']);
  });

  it('goes on as a stream, for who shows the answer as it comes', async () => {
    const { ran, paused, another, threads } = await askingFor('refund');
    const third = another(says('done'));
    const told = async () => {
      const events: StreamEvent<RunResult>[] = [];
      for await (const event of third.agent.resumeStream()) events.push(event);
      return events;
    };
    expect(await told()).toMatchObject([{ type: 'result', result: { status: 'paused', calls: [{ tool: 'refund' }] } }]);
    await threads.decide('t', paused.calls[0]?.key ?? '', { verdict: 'approve' });
    const events = await told();
    expect(events.map(({ type }) => type)).toEqual([
      'run_started',
      'tool_started',
      'tool_finished',
      'acted',
      'text',
      'thought',
      'run_ended',
      'result',
    ]);
    expect(events[0]).toMatchObject({ resumed: true });
    expect(events.at(-1)).toMatchObject({ result: { status: 'done', answer: 'done' } });
    expect(ran).toEqual([{}]);
  });

  it('that is rejected never runs; the model reads why', async () => {
    const { world, ran, paused, another, threads } = await askingFor('refund');
    await threads.decide('t', paused.calls[0]?.key ?? '', { verdict: 'reject', reason: 'too much' });
    await world.runtime.until(another(says('sorry')).agent.resume());
    expect(ran).toEqual([]);
    expect(await texts(world)).toEqual(['Be kind.', 'please', null, 'Rejected: too much', 'sorry']);
  });

  it('runs with what was proposed, under a key of its own; a decision on the former key is refused', async () => {
    const { world, ran, paused, another, threads } = await askingFor('refund');
    const key = paused.calls[0]?.key ?? '';
    const proposal = await threads.propose('t', key, { amount: 5 });
    expect(proposal).toMatchObject({ tool: 'refund', arguments: '{"amount":5}' });
    await expect(threads.decide('t', key, { verdict: 'approve' })).rejects.toMatchObject({ code: 'not_found' });
    await threads.decide('t', proposal.key, { verdict: 'approve' });
    await world.runtime.until(another(says('done')).agent.resume());
    expect(ran).toEqual([{ amount: 5 }]);
  });

  it('proposed as it is, is refused; proposed as it was before, is a new proposal as well', async () => {
    const { paused, threads } = await askingFor('refund');
    const key = paused.calls[0]?.key ?? '';
    await expect(threads.propose('t', key, {})).rejects.toMatchObject({ code: 'invalid_argument' });
    const five = await threads.propose('t', key, { amount: 5 });
    await expect(threads.propose('t', five.key, { amount: 5 })).rejects.toMatchObject({ code: 'invalid_argument' });
    const back = await threads.propose('t', five.key, {});
    expect(new Set([key, five.key, back.key]).size).toBe(3);
    await expect(threads.decide('t', key, { verdict: 'approve' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is not approved by a decision with other arguments: the person is told to propose them', async () => {
    const { ran, paused, another, threads } = await askingFor('refund');
    const key = paused.calls[0]?.key ?? '';
    const decision = { verdict: 'approve', arguments: { amount: 5 } } as never;
    const refusal = { code: 'invalid_argument', path: 'decision.arguments', message: expect.stringMatching(/propose/) };
    await expect(threads.decide('t', key, decision)).rejects.toMatchObject(refusal);
    expect(await another().agent.resume()).toMatchObject({ status: 'paused', calls: [{ key }] });
    expect(ran).toEqual([]);
  });

  it.each([
    { verdict: 'approve', reason: 'fine' },
    { verdict: 'reject', result: 'done' },
    { verdict: 'answer', result: 'done', Reason: 'by hand' },
  ])('is not decided by what says more than its verdict takes: %j', async (decision) => {
    const { paused, threads } = await askingFor('refund');
    const key = paused.calls[0]?.key ?? '';
    await expect(threads.decide('t', key, decision as never)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await threads.decide('t', key, { verdict: 'reject', reason: undefined })).toMatchObject({ counted: true });
  });

  it('of two decisions the first counts', async () => {
    const { world, paused, threads } = await askingFor('refund');
    const key = paused.calls[0]?.key ?? '';
    const deciding = [
      threads.decide('t', key, { verdict: 'approve' }),
      threads.decide('t', key, { verdict: 'reject' }),
    ];
    const both = await world.runtime.until(Promise.all(deciding));
    expect(both.filter(({ counted }) => counted)).toHaveLength(1);
    expect(new Set(both.map(({ decision }) => decision.verdict)).size).toBe(1);
  });

  it('waits still when it is resumed too early, without a write', async () => {
    const { world, another } = await askingFor('refund');
    const writes = world.store.written.length;
    expect(await another().agent.resume()).toMatchObject({ status: 'paused', calls: [{ tool: 'refund' }] });
    expect(world.store.written).toHaveLength(writes);
  });

  it('a new input is refused, unless it rejects what waits', async () => {
    const { world, ran, another } = await askingFor('refund');
    const next = another(says('as you like'));
    await expect(next.agent.run('never mind')).rejects.toMatchObject({ code: 'paused' });
    expect(await next.agent.run('never mind', { onPaused: 'reject' })).toMatchObject({ answer: 'as you like' });
    expect(ran).toEqual([]);
    expect((await texts(world))?.slice(3)).toEqual([
      'Rejected: a new input came before anybody approved it.',
      'never mind',
      'as you like',
    ]);
  });

  it('is not rejected by a new input while the store is out of reach: somebody may have approved it', async () => {
    const world = createWorld();
    const bot = world.process([asksFor('refund'), says('done')], [refunds([])]);
    bot.client.next('save', 'fine', 'fine', 'hangs_applied');
    bot.client.next('peek', 'hangs');
    const paused = world.runtime.until(bot.agent.run('please'));
    await world.runtime.advance(2_100);
    bot.client.down('hangs');
    expect(await paused).toMatchObject({ status: 'paused', durable: false });
    const [call] = await threadsOf(world).pending('t');
    await threadsOf(world).decide('t', call?.key ?? '', { verdict: 'approve' });
    await expect(bot.agent.run('no', { onPaused: 'reject' })).rejects.toMatchObject({ code: 'paused' });
    bot.client.up();
    await world.runtime.advance(30_000);
    expect(await world.runtime.until(bot.agent.resume())).toMatchObject({ answer: 'done', durable: true });
  });

  it('is not decided any more once a new input has rejected it', async () => {
    const { world, paused, another, threads } = await askingFor('refund');
    const next = another(says('as you like'));
    const key = paused.calls[0]?.key ?? '';
    let late: unknown;
    const decideLate = async () => {
      late = await threads.decide('t', key, { verdict: 'approve' }).catch((error: unknown) => error);
    };
    next.client.next('save', 'fine', decideLate);
    expect(await world.runtime.until(next.agent.run('no', { onPaused: 'reject' }))).toMatchObject({ status: 'done' });
    expect(late).toMatchObject({ code: 'invalid_argument' });
  });

  it('the same input again gets the pause', async () => {
    const { another } = await askingFor('refund');
    expect(await another().agent.run('please', { inputId: 'i1' })).toMatchObject({ status: 'paused' });
  });

  it('is decided while its owner is busy with another call, which then runs it in the same turn', async () => {
    const world = createWorld();
    const ran: unknown[] = [];
    const slow = named('slow', async () => sleep(world.runtime, 12_000));
    const owner = world.process([asksFor('refund', 'slow'), says('done')], [refunds(ran), slow]);
    const running = owner.agent.run('please');
    await world.runtime.advance(1_000);
    const [call] = await threadsOf(world).pending('t');
    await threadsOf(world).decide('t', call?.key ?? '', { verdict: 'approve' });
    expect(await world.runtime.until(running)).toMatchObject({ status: 'done', durable: true });
    expect(ran).toEqual([{}]);
  });
});

describe('an approved call', () => {
  it('is not lost to an agent without its tool: that one is refused, and the right one goes on', async () => {
    const { world, ran, paused, another, threads } = await askingFor('refund');
    await threads.decide('t', paused.calls[0]?.key ?? '', { verdict: 'approve' });
    const writes = world.store.written.length;
    const wrong = world.process([says('unused')], [named('look', () => 'seen')]);
    const refused = { code: 'configuration', path: 'tools' };
    await expect(wrong.agent.resume()).rejects.toMatchObject(refused);
    await expect(wrong.agent.run('please', { inputId: 'i1' })).resolves.toMatchObject({ status: 'paused' });
    expect(world.store.written).toHaveLength(writes);
    expect(await world.runtime.until(another(says('done')).agent.resume())).toMatchObject({ answer: 'done' });
    expect(ran).toEqual([{}]);
  });
});

describe('a call that was planned where its tool needed no approval', () => {
  const planned = async (effect: 'once' | 'idempotent') => {
    const world = createWorld();
    const ran: string[] = [];
    const old = named('pay', () => new Promise(() => {}), { effect });
    const first = world.process([asksFor('pay')], [old]);
    first.client.next('save', 'fine', async () => first.client.down('hangs'));
    void first.agent.run('please').catch(() => {});
    await world.runtime.advance(30_000);
    const asked: unknown[] = [];
    const needsApproval = (args: unknown) => asked.push(args) > 0;
    const now = named('pay', () => void ran.push('paid'), { effect, needsApproval });
    const another = () => world.process([says('unused'), says('done')], [now]);
    return { world, ran, asked, another, threads: threadsOf(world) };
  };

  it.each(['once', 'idempotent'] as const)('waits for one where its tool needs it now (%s)', async (effect) => {
    const { world, ran, asked, another, threads } = await planned(effect);
    const paused = await world.runtime.until(another().agent.resume());
    expect(paused).toMatchObject({ status: 'paused', calls: [{ tool: 'pay', waitsFor: 'approval' }] });
    expect([ran, asked]).toEqual([[], [{}]]);
    const [call] = await threads.pending('t');
    await threads.decide('t', call?.key ?? '', { verdict: 'approve' });
    expect(await world.runtime.until(another().agent.resume())).toMatchObject({ answer: 'done' });
    expect([ran, asked]).toEqual([['paid'], [{}]]);
  });
});

describe('a call that may have run before its tool needed approval', () => {
  const unknown = 'Unknown: this call may or may not have run; its result was lost.';
  const asked = async (leaves: 'dies' | 'closes') => {
    const world = createWorld();
    const ran: string[] = [];
    const paysAndHangs = named('pay', () => new Promise(() => void ran.push('paid')));
    const first = world.process([asksFor('pay')], [paysAndHangs]);
    void first.agent.run('please').catch(() => {});
    await settle();
    if (leaves === 'dies') first.client.down('hangs');
    else await world.runtime.until(first.factory.close({ deadlineMs: 2_000 }));
    const pay = named('pay', () => void ran.push('paid again'), { needsApproval: true });
    const another = (...turns: Parameters<World['process']>[0]) => world.process([says('unused'), ...turns], [pay]);
    const paused = (await world.runtime.until(another().agent.resume())) as PausedResult;
    expect(paused).toMatchObject({ status: 'paused', calls: [{ tool: 'pay', waitsFor: 'approval' }] });
    const result = async (threadId = 't') => (await threadsOf(world).get(threadId))?.history[3]?.content;
    return { world, ran, another, result, key: paused.calls[0]?.key ?? '', threads: threadsOf(world) };
  };

  describe.each(['dies', 'closes'] as const)('in a process that %s', (leaves) => {
    it('is told as unknown where a person rejects it', async () => {
      const { world, another, result, key, threads } = await asked(leaves);
      await threads.decide('t', key, { verdict: 'reject', reason: 'too much' });
      await world.runtime.until(another(says('done')).agent.resume());
      expect(await result()).toBe(`${unknown} too much`);
    });

    it('is told as unknown where a new input rejects it, where its run is cancelled, and in a fork', async () => {
      const { world, another, result, threads } = await asked(leaves);
      const cancelled = await asked(leaves);
      expect(await result(await threads.fork('t'))).toBe(unknown);
      await world.runtime.until(another(says('done')).agent.run('next', { onPaused: 'reject' }));
      expect(await result()).toBe(unknown);
      await cancelled.threads.cancel('t');
      await cancelled.world.runtime.until(cancelled.another(says('done')).agent.run('next'));
      expect(await cancelled.result()).toBe(unknown);
    });

    it('keeps its arguments and its key: under others it could run a second time', async () => {
      const { key, threads } = await asked(leaves);
      await expect(threads.propose('t', key, { amount: 5 })).rejects.toMatchObject({ code: 'invalid_argument' });
    });

    it('runs again under its key once it is approved, and is not asked about anew', async () => {
      const { world, ran, another, key, threads } = await asked(leaves);
      await threads.decide('t', key, { verdict: 'approve' });
      expect(await world.runtime.until(another(says('done')).agent.resume())).toMatchObject({ answer: 'done' });
      expect(ran).toEqual(['paid', 'paid again']);
    });
  });
});

describe('a run at work in another process', () => {
  const atWork = async () => {
    const world = createWorld();
    const ran: string[] = [];
    const slow = named('slow', async (_, { signal }) => {
      ran.push('begun');
      await sleep(world.runtime, 12_000, signal);
      if (!signal.aborted) ran.push('ended');
    });
    const owner = world.process([asksFor('slow', 'slow'), says('done')], [slow], { toolConcurrency: 1 });
    const running = owner.agent.run('please');
    running.catch(() => {});
    await world.runtime.advance(1_000);
    return { world, ran, owner, running, threads: threadsOf(world) };
  };

  it('is paused: the tool at work ends, nothing new is begun, and somebody else goes on', async () => {
    const { world, ran, running, threads } = await atWork();
    expect(await threads.pause('t', { reason: 'lunch' })).toBe(true);
    expect(await world.runtime.until(running)).toMatchObject({
      status: 'paused',
      durable: true,
      pause: { kind: 'request', reason: 'lunch' },
    });
    expect(ran).toEqual(['begun', 'ended']);
    expect((await threads.get('t'))?.run).toMatchObject({ phase: 'paused', owner: null });
    const other = world.process([says('unused'), says('done')], [named('slow', () => ran.push('again'))]);
    expect(await world.runtime.until(other.agent.resume())).toMatchObject({ answer: 'done' });
    expect(ran).toEqual(['begun', 'ended', 'again']);
  });

  it('is paused, and stays so for a resume that waited for it', async () => {
    const { world, ran, running, threads } = await atWork();
    const other = world.process([], [named('slow', () => ran.push('again'))]);
    const waiting = other.agent.resume({ onBusy: 'wait' });
    await threads.pause('t');
    expect(await world.runtime.until(waiting)).toMatchObject({ status: 'paused' });
    expect(await world.runtime.until(running)).toMatchObject({ status: 'paused' });
    expect(ran).not.toContain('again');
  });

  it('is paused, and nobody who waits goes on before the tool at work has ended: it runs once, its result counts', async () => {
    const { world, ran, running, threads } = await atWork();
    await threads.pause('t');
    const other = world.process([says('unused'), says('done')], [named('slow', () => ran.push('other'))]);
    expect(await world.runtime.until(other.agent.resume({ onBusy: 'wait' }))).toMatchObject({ answer: 'done' });
    expect(await running).toMatchObject({ status: 'paused' });
    expect(ran).toEqual(['begun', 'ended', 'other']);
    const rejecting = world.process([says('unused'), says('unused'), says('fine')]);
    expect(await world.runtime.until(rejecting.agent.run('next'))).toMatchObject({ answer: 'fine' });
  });

  it('is paused, and a new input that rejects it waits for the tool at work', async () => {
    const { world, ran, running, threads } = await atWork();
    await threads.pause('t');
    const other = world.process([says('unused'), says('fine')]);
    const next = world.runtime.until(other.agent.run('next', { onPaused: 'reject' }));
    expect(await next).toMatchObject({ answer: 'fine', durable: true });
    expect(await running).toMatchObject({ status: 'paused' });
    expect(ran).toEqual(['begun', 'ended']);
    expect((await texts(world))?.slice(3, 4)).toEqual(['null']);
  });

  it('is paused for a person meanwhile: who waited with the same input, or to resume, gets that pause', async () => {
    const world = createWorld();
    const slow = named('slow', async () => sleep(world.runtime, 12_000));
    const owner = world.process([asksFor('refund', 'slow')], [refunds([]), slow]);
    const running = owner.agent.run('please', { inputId: 'i1' });
    await world.runtime.advance(1_000);
    const again = world.process([]).agent.run('please', { inputId: 'i1' });
    const resumed = world.process([]).agent.resume({ onBusy: 'wait' });
    const refused = expect(world.process([]).agent.run('other')).rejects.toMatchObject({ code: 'paused' });
    const paused = { status: 'paused', pause: { kind: 'person' }, calls: [{ tool: 'refund' }] };
    expect(await world.runtime.until(Promise.all([running, again, resumed]))).toMatchObject([paused, paused, paused]);
    await world.runtime.until(refused);
  });

  it('is cancelled: it stops within a heartbeat, and its calls are settled without running with the next input', async () => {
    const { world, ran, running, threads } = await atWork();
    expect(await threads.cancel('t')).toBe(true);
    await expect(world.runtime.until(running)).rejects.toMatchObject({ code: 'aborted' });
    expect(world.runtime.monotonic()).toBeLessThan(11_000);
    expect(ran).toEqual(['begun']);
    const other = world.process([says('unused'), says('fine')]);
    expect(await world.runtime.until(other.agent.run('next'))).toMatchObject({ answer: 'fine', durable: true });
    expect((await texts(world))?.slice(3)).toEqual([
      'Unknown: this call may or may not have run; its result was lost.',
      'Unknown: this call may or may not have run; its result was lost.',
      'next',
      'fine',
    ]);
    expect(await threads.cancel('t')).toBe(false);
  });

  it('is waited for while it shows that it lives, and taken over once it is silent', async () => {
    const { world, running, threads } = await atWork();
    const waiting = world.process([says('unused'), says('unused'), says('mine')]);
    const begun = world.runtime.monotonic();
    expect(await world.runtime.until(waiting.agent.run('later'))).toMatchObject({ answer: 'mine' });
    expect(await running).toMatchObject({ answer: 'done' });
    expect(world.runtime.monotonic() - begun).toBeLessThan(30_000);
    expect(waiting.types()[0]).toBe('waiting');
    expect((await threads.get('t'))?.history.at(-2)).toMatchObject({ metadata: { previous_run: { outcome: 'done' } } });
  });
});

describe('a tool that pauses the run', () => {
  it('does not replace the pause that somebody has asked for while it ran', async () => {
    const world = createWorld();
    const snooze = named('snooze', async (_, { pause }) => {
      pause({ reason: 'own' });
      await sleep(world.runtime, 12_000);
    });
    const running = world.process([asksFor('snooze')], [snooze]).agent.run('later');
    await world.runtime.advance(1_000);
    const wakeAt = new Date('2030-01-01T00:00:00Z');
    await threadsOf(world).pause('t', { wakeAt, reason: 'boss' });
    const pause = { kind: 'request', wake_at: wakeAt.toISOString(), reason: 'boss' };
    expect(await world.runtime.until(running)).toMatchObject({ status: 'paused', pause });
  });

  it('without a store: a new input that rejects the pause is taken', async () => {
    const snooze = named('snooze', (_, { pause }) => pause());
    const bot = createWorld().process([asksFor('snooze'), says('fine')], [snooze], { checkpointer: undefined });
    expect(await bot.agent.run('later')).toMatchObject({ status: 'paused' });
    expect(await bot.agent.run('now', { onPaused: 'reject' })).toMatchObject({ answer: 'fine' });
  });

  it('until a time: `due` lists it then, and a resume goes on', async () => {
    const world = createWorld({ query: true });
    const wakeAt = new Date(world.runtime.now() + 3_600_000);
    const snooze = named('snooze', (_, { pause }) => pause({ wakeAt, reason: 'tomorrow' }));
    const bot = world.process([asksFor('snooze')], [snooze]);
    expect(await bot.agent.run('later')).toMatchObject({ status: 'paused', pause: { reason: 'tomorrow' }, calls: [] });
    const threads = threadsOf(world);
    expect(await threads.due()).toEqual([]);
    await world.runtime.advance(3_600_000);
    expect(await threads.due()).toEqual(['t']);
    expect(await world.process([says('unused'), says('awake')]).agent.resume()).toMatchObject({ answer: 'awake' });
    expect(await threads.due()).toEqual([]);
    await settle();
  });

  it('until a time keeps it when somebody pauses it as well, unless he names another', async () => {
    const world = createWorld({ query: true });
    const wakeAt = new Date(world.runtime.now() + 3_600_000);
    const snooze = named('snooze', (_, { pause }) => pause({ wakeAt, reason: 'tomorrow' }));
    await world.process([asksFor('snooze')], [snooze]).agent.run('later');
    const threads = threadsOf(world);
    expect(await threads.pause('t', { reason: 'lunch' })).toBe(true);
    const pauseNow = async () => (await threads.get('t'))?.run?.pause;
    expect(await pauseNow()).toEqual({ kind: 'request', reason: 'lunch', wake_at: wakeAt.toISOString() });
    await world.runtime.advance(3_600_000);
    expect(await threads.due()).toEqual(['t']);
    const later = new Date(wakeAt.getTime() + 60_000);
    await threads.pause('t', { wakeAt: later });
    expect(await threads.due()).toEqual([]);
    expect(await pauseNow()).toMatchObject({ wake_at: later.toISOString() });
  });
});
