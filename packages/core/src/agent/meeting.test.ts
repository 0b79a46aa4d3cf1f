import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { sleep } from '../protocol/runtime.ts';
import { asksFor, createWorld, named, type Process, says, type World } from '../testing/agents.ts';
import type { TextThread } from '../testing/text-store.ts';
import { settle } from '../testing/virtual-runtime.ts';
import { createThreads } from '../threads/threads.ts';
import { textOf } from './record/text.ts';

const threadsOf = ({ store, runtime }: World) => createThreads(defineCheckpointer(store, runtime), { runtime });
const texts = async (world: World) => (await threadsOf(world).get('t'))?.history.map(textOf);
const unused = says('unused');
const minutes = 60_000;

/** A process in the middle of a tool that takes that long. */
async function inATool(ms: number) {
  const world = createWorld();
  const ran: string[] = [];
  const long = named('long', async () => {
    ran.push('owner');
    await sleep(world.runtime, ms);
  });
  const profiles = { bot: { name: 'bot', systemPrompt: 'Be kind.', tools: ['long'], maxExecutionTimeSeconds: 3_600 } };
  const owner = world.process([asksFor('long'), says('by the owner')], [long], { profiles });
  const running = owner.agent.run('one', { inputId: 'i1' });
  await world.runtime.advance(100);
  const other = world.process([unused, unused, says('by the other')], [named('long', () => ran.push('other'))]);
  return { world, ran, owner, running, other };
}

describe('a thread whose owner is in a long tool', () => {
  it('[E5] is not taken from it by who waits: heartbeats tell that it lives; the tool starts once', async () => {
    const { world, ran, running, other } = await inATool(10 * minutes);
    for (let asked = 0; asked < 5; asked += 1) {
      const waiting = expect(other.agent.run('two')).rejects.toMatchObject({ code: 'busy' });
      await world.runtime.advance(1.5 * minutes);
      await waiting;
    }
    expect(await world.runtime.until(running)).toMatchObject({ answer: 'by the owner', durable: true });
    expect(ran).toEqual(['owner']);
    expect(await texts(world)).toEqual(['Be kind.', 'one', '', 'null', 'by the owner']);
  });

  it('is taken from one that has died also by who waits for living ones less long than that takes to see', async () => {
    const { world, ran, owner, running } = await inATool(10 * minutes);
    running.catch(() => {});
    owner.client.down('hangs');
    const hasty = world.process([unused, says('fine')], [], { busyWaitMs: 2_000 });
    await expect(world.runtime.until(hasty.agent.run('two'))).resolves.toMatchObject({ answer: 'fine' });
    expect(ran).toEqual(['owner']);
  });

  it('that saves all the time is waited for, however often that is looked at; a race that is lost then is tried again', async () => {
    const world = createWorld();
    const quick = named('quick', async () => sleep(world.runtime, 400));
    const count = 60;
    const profiles = { bot: { name: 'bot', tools: ['quick'], maxIterations: 100 } };
    const turns = Array.from({ length: count }, () => asksFor('quick'));
    const owner = world.process([...turns, says('by the owner')], [quick], { profiles });
    const running = owner.agent.run('one');
    await world.runtime.advance(100);
    const others = Array.from({ length: count + 1 }, () => unused);
    const faster = world.process([...others, says('by the faster')]);
    const other = world.process([...others, unused, says('by the other')]);
    other.client.next('save', () => faster.agent.run('two'));
    expect(await world.runtime.until(other.agent.run('three'))).toMatchObject({ answer: 'by the other' });
    expect(await running).toMatchObject({ answer: 'by the owner' });
  });

  it('[E5] is taken over by who does not wait: the tool runs again, with the same key', async () => {
    const { world, ran, running, other } = await inATool(10 * minutes);
    const outcome = expect(running).rejects.toMatchObject({ code: 'taken_over' });
    expect(await other.agent.resume()).toMatchObject({ status: 'done' });
    await world.runtime.advance(10_000);
    await outcome;
    expect(ran).toEqual(['owner', 'other']);
  });

  it.each([-1, 1])('[E6] is waited for alike where the wall clocks differ by %i hours', async (hours) => {
    const { world, running, other } = await inATool(12_000);
    const { runtime } = world;
    const skewed = world.process([unused, unused, says('by the other')], [], {
      runtime: { ...runtime, now: () => runtime.now() + hours * 60 * minutes },
    });
    expect(await runtime.until(skewed.agent.run('two'))).toMatchObject({ answer: 'by the other' });
    expect(await running).toMatchObject({ answer: 'by the owner' });
    expect(runtime.monotonic()).toBeLessThan(20_000);
    void other;
  });
});

describe('an owner that has seen another one in its place', () => {
  /** Another process has taken the thread over; what the owner finds when it reads back is what it is given. */
  const overtaken = async (readsBack: (world: World, before: TextThread | undefined) => void) => {
    const { world, owner, other, running } = await inATool(12_000);
    const before = structuredClone(world.store.threads.get('t'));
    await other.agent.resume();
    owner.client.next('load', async () => readsBack(world, before));
    const outcome = running.catch((error: unknown) => error);
    await world.runtime.advance(60_000);
    return { world, outcome: await outcome };
  };

  it('writes nothing more, also where it finds its own record after all, as after a failover', async () => {
    const { world, outcome } = await overtaken(({ store }, before) => before && store.threads.set('t', before));
    expect(outcome).toMatchObject({ code: 'taken_over' });
    expect((await threadsOf(world).get('t'))?.run).toMatchObject({ phase: 'act', error: null });
  });

  it('keeps what is gone as it was: its input was overtaken, and did not fail', async () => {
    const { world, outcome } = await overtaken(({ store }) => store.threads.delete('t'));
    const { forkId = '' } = outcome as { forkId?: string };
    const fork = await threadsOf(world).get(forkId);
    expect(fork?.history.map(textOf)).toContain('one');
    expect(fork?.history[0]?.metadata?.earlier_inputs).toMatchObject([{ input_id: 'i1', outcome: 'superseded' }]);
  });
});

describe('requests and answers that meet', () => {
  /** A process whose answer is about to be saved when somebody asks something of it. */
  const answering = async (ask: (world: World) => Promise<unknown>, inputId?: string) => {
    const world = createWorld();
    const owner = world.process([says('the answer')]);
    owner.client.next('save', 'fine', () => ask(world));
    return { world, owner, running: owner.agent.run('one', { inputId }) };
  };

  it('[E27] an answer that meets a pause: done', async () => {
    const { world, running } = await answering((world) => threadsOf(world).pause('t'));
    expect(await running).toMatchObject({ status: 'done', answer: 'the answer', durable: true });
    expect((await threadsOf(world).get('t'))?.run?.phase).toBe('done');
  });

  it('[E27] an answer that meets a cancel: cancelled, the answer is kept, and nothing is asked of the model again', async () => {
    const { world, owner, running } = await answering((world) => threadsOf(world).cancel('t'));
    await expect(running).rejects.toMatchObject({ code: 'aborted' });
    expect((await threadsOf(world).get('t'))?.run?.phase).toBe('cancelled');
    expect(await texts(world)).toEqual(['Be kind.', 'one', 'the answer']);
    expect(owner.requests).toHaveLength(1);
    await expect(owner.agent.resume()).rejects.toMatchObject({ code: 'aborted' });
    expect(owner.requests).toHaveLength(1);
  });

  it('an answer that was kept over a cancel is the answer of a retry: nothing is thought after it', async () => {
    const { world, owner, running } = await answering((world) => threadsOf(world).cancel('t'), 'i1');
    await expect(running).rejects.toMatchObject({ code: 'aborted' });
    const retrying = world.process([unused, says('a second answer')]);
    const again = () => retrying.agent.run('one', { inputId: 'i1', retry: true });
    expect(await again()).toMatchObject({ status: 'done', answer: 'the answer', durable: true });
    expect((await threadsOf(world).get('t'))?.run).toMatchObject({ phase: 'done', owner: null, error: null });
    expect(await texts(world)).toEqual(['Be kind.', 'one', 'the answer']);
    expect([owner.requests.length, retrying.requests.length]).toEqual([1, 0]);
    const writes = world.store.written.length;
    expect(await again()).toMatchObject({ answer: 'the answer' });
    expect(world.store.written).toHaveLength(writes);
  });

  it('a summary in the place of a cancelled input is not the answer of a retry', async () => {
    const { world, running } = await answering((world) => threadsOf(world).cancel('t'), 'i1');
    await expect(running).rejects.toMatchObject({ code: 'aborted' });
    await threadsOf(world).rewrite('t', () => [{ role: 'assistant', content: 'A summary.' }]);
    const retrying = world.process([unused, says('another')]);
    expect(await retrying.agent.run('one', { inputId: 'i1', retry: true })).toMatchObject({ answer: 'another' });
  });

  it('[E18] a request on top of a write whose answer was lost: that write is not done a second time', async () => {
    const world = createWorld();
    const owner = world.process([asksFor('look'), says('done')], [named('look', () => 'seen')]);
    const threads = threadsOf(world);
    owner.client.next('save', 'fine', 'applied');
    owner.client.next('peek', async () => threads.pause('t'));
    expect(await world.runtime.until(owner.agent.run('one'))).toMatchObject({ status: 'paused', durable: true });
    const other = world.process([unused, says('done')], [named('look', () => 'seen')]);
    expect(await other.agent.resume()).toMatchObject({ status: 'done' });
    expect(await texts(world)).toEqual(['Be kind.', 'one', '', 'seen', 'done']);
    expect((await threads.steps('t')).map(({ step }) => step)).toEqual([1, 2, 3]);
  });

  it('[E30] a late cancel of a run whose successor has begun in the same process does not touch that one', async () => {
    const world = createWorld();
    const goesDown = async () => {
      owner.client.down();
      return says('first');
    };
    const owner: Process = world.process([goesDown, says('second')]);
    const threads = threadsOf(world);
    const late = defineCheckpointer(world.store, world.runtime);
    expect(await world.runtime.until(owner.agent.run('one'))).toMatchObject({ answer: 'first', durable: false });
    expect(await threads.cancel('t')).toBe(true);
    expect(await owner.agent.run('two')).toMatchObject({ answer: 'second', durable: false });
    owner.client.up();
    await world.runtime.advance(30_000);
    expect(await texts(world)).toEqual(['Be kind.', 'one', 'first', 'two', 'second']);
    const state = await late.load('t');
    expect(state).toMatchObject({ state: { run: { phase: 'done' } } });
    expect((await threads.get('t'))?.history[3]?.metadata?.previous_run).toMatchObject({ outcome: 'cancelled' });
  });

  /** A process that is about to pause for the approval of its call when somebody asks something. */
  const pausing = (ask: (world: World, key: string) => Promise<unknown>, calls = ['pay']) => {
    const world = createWorld();
    const ran: string[] = [];
    const pay = named('pay', () => void ran.push('paid'), { needsApproval: true, effect: 'once' });
    const owner = world.process([asksFor(...calls), says('done')], [pay]);
    owner.client.next('save', 'fine', 'fine', async () => {
      const [call] = await threadsOf(world).pending('t');
      return ask(world, call?.key ?? '');
    });
    return { world, ran, pay, running: owner.agent.run('one') };
  };
  const approve = (world: World, key: string) => threadsOf(world).decide('t', key, { verdict: 'approve' });

  it('a decision that meets the pause for it: the run goes on, for nobody may come to resume it', async () => {
    const { world, ran, running } = pausing(approve);
    expect(await world.runtime.until(running)).toMatchObject({ status: 'done', answer: 'done', durable: true });
    expect(ran).toEqual(['paid']);
  });

  it('a decision on a pause of which the answer is lost: the run goes on, as one that is waited for', async () => {
    const world = createWorld();
    const ran: string[] = [];
    const pay = named('pay', () => sleep(world.runtime, 20_000).then(() => ran.push('paid')), { needsApproval: true });
    const owner = world.process([asksFor('pay'), says('done')], [pay]);
    owner.client.next('save', 'fine', 'fine', 'applied');
    owner.client.next('peek', async () => {
      const [call] = await threadsOf(world).pending('t');
      await approve(world, call?.key ?? '');
    });
    const running = owner.agent.run('one');
    await world.runtime.advance(1_000);
    expect((await threadsOf(world).get('t'))?.run).toMatchObject({ phase: 'act', owner: expect.any(String) });
    const other = world.process([unused, unused, says('by the other')], [pay]);
    expect(await world.runtime.until(other.agent.run('two'))).toMatchObject({ answer: 'by the other' });
    expect(await running).toMatchObject({ answer: 'done' });
    expect(ran).toEqual(['paid']);
  });

  it('one of two decisions meets the pause: that call runs, and the run pauses for the other', async () => {
    const { world, ran, running } = pausing(approve, ['pay', 'pay']);
    expect(await world.runtime.until(running)).toMatchObject({ status: 'paused', calls: [{ callId: 'c2' }] });
    expect(ran).toEqual(['paid']);
  });

  it('a decision that meets the pause of a run that has ended here, in an outage: whoever resumes goes on', async () => {
    const world = createWorld();
    const ran: string[] = [];
    const pay = named('pay', () => void ran.push('paid'), { needsApproval: true });
    const owner = world.process([asksFor('pay')], [pay]);
    owner.client.next('save', 'fine', async () => owner.client.down());
    expect(await world.runtime.until(owner.agent.run('one'))).toMatchObject({ status: 'paused', durable: false });
    const [call] = await threadsOf(world).pending('t');
    await approve(world, call?.key ?? '');
    owner.client.up();
    await world.runtime.advance(30_000);
    expect(await threadsOf(world).get('t')).toMatchObject({ run: { phase: 'paused', owner: null } });
    const other = world.process([unused, says('done')], [pay]);
    expect(await other.agent.resume({ onBusy: 'wait' })).toMatchObject({ answer: 'done' });
    expect(ran).toEqual(['paid']);
  });

  it('a pause until a time that meets the pause for an approval: the time counts', async () => {
    const wakeAt = new Date('2030-01-01T00:00:00Z');
    const { world, running } = pausing((world) => threadsOf(world).pause('t', { wakeAt }));
    const pause = { kind: 'request', wake_at: wakeAt.toISOString() };
    expect(await world.runtime.until(running)).toMatchObject({ status: 'paused', pause, calls: [{ tool: 'pay' }] });
    expect((await threadsOf(world).get('t'))?.run?.pause).toEqual(pause);
  });

  it('a pause that was obeyed, and that a resume has ended in an outage, is not obeyed again with what is asked later', async () => {
    const world = createWorld();
    const pay = named('pay', () => 'paid', { needsApproval: true });
    const slow = named('slow', async () => sleep(world.runtime, 12_000));
    const turns = [asksFor('pay', 'slow', 'pay'), says('done')];
    const owner = world.process(turns, [pay, slow], { toolConcurrency: 1 });
    const threads = threadsOf(world);
    const running = owner.agent.run('one');
    await world.runtime.advance(1_000);
    await threads.pause('t', { reason: 'lunch' });
    // The owner has seen it with a heartbeat, and written on top of it.
    await world.runtime.advance(10_500);
    owner.client.down();
    expect(await world.runtime.until(running)).toMatchObject({ status: 'paused', durable: false });
    expect(await world.runtime.until(owner.agent.resume())).toMatchObject({
      status: 'paused',
      pause: { kind: 'person' },
    });
    const [first] = await threads.pending('t');
    await approve(world, first?.key ?? '');
    owner.client.up();
    await world.runtime.advance(30_000);
    expect((await threads.get('t'))?.run).toMatchObject({ phase: 'paused', pause: { kind: 'person' } });
  });

  it('five approvers who each decide and then wait: nobody is left with a paused thread that all have approved', async () => {
    const world = createWorld();
    const ran: string[] = [];
    const pay = named('pay', () => void ran.push('paid'), { needsApproval: true, effect: 'once' });
    await world.process([asksFor('pay', 'pay', 'pay', 'pay', 'pay')], [pay]).agent.run('one');
    const approver = async ({ key }: { key: string }, index: number) => {
      await sleep(world.runtime, index * 40);
      await approve(world, key);
      return world.process([unused, says('done')], [pay]).agent.resume({ onBusy: 'wait' });
    };
    const outcomes = await world.runtime.until(Promise.all((await threadsOf(world).pending('t')).map(approver)));
    expect(outcomes.some(({ status }) => status === 'done')).toBe(true);
    expect((await threadsOf(world).get('t'))?.run?.phase).toBe('done');
    expect(ran).toHaveLength(5);
  });

  it('[E21] ten approvals given one by one, with a resume after each: attempts count deaths, and nobody died', async () => {
    const world = createWorld();
    const ran: number[] = [];
    const ask = named('ask', (_, { attempt }) => ran.push(attempt), { needsApproval: true });
    const ten = Array.from({ length: 10 }, () => 'ask');
    const first = world.process([asksFor(...ten)], [ask]);
    await first.agent.run('go');
    for (const { key } of await threadsOf(world).pending('t')) {
      await threadsOf(world).decide('t', key, { verdict: 'approve' });
      await world.process([unused, says('done')], [ask]).agent.resume();
    }
    expect(ran).toEqual(Array.from({ length: 10 }, () => 0));
    expect((await texts(world))?.at(-1)).toBe('done');
    await settle();
  });
});
