import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../../protocol/define.ts';
import { assertThreadId } from '../../protocol/ids.ts';
import { toState } from '../../state/encode.ts';
import { asksFor, createWorld, named, says } from '../../testing/agents.ts';
import { asks, doneCall, openCall, runRecord, toolCall, user } from '../../testing/samples.ts';
import { createThreads } from '../../threads/threads.ts';
import { forkId, forkOf } from './fork.ts';

async function setting() {
  const world = createWorld();
  const bot = world.process([says('one'), says('two')]);
  await bot.agent.run('first');
  const { client } = world.process([]);
  return { world, bot, client, threads: createThreads(client, { runtime: world.runtime }) };
}

describe('a fork', () => {
  it('has no run and no open calls: results stay, what may have started is unknown, the rest did not run', () => {
    const calls = [
      doneCall('c1', 'x', { variables: { n: 1 } }),
      openCall('c2'),
      openCall('c3', { effect: 'once' }),
      openCall('c4', { effect: 'once', status: 'started' }),
      openCall('c5', { waits_for: 'approval' }),
    ];
    const pending_inputs = [user('later')];
    const history = [user('a'), asks(...calls.map(({ id }) => toolCall(id)))];
    const fork = forkOf(toState({ history, run: runRecord({ phase: 'act', calls, pending_inputs }) }, 0));
    expect(fork.run).toBeUndefined();
    expect(fork.variables).toEqual({ n: 1 });
    expect(fork.history.slice(2).map(({ content }) => content)).toEqual([
      'x',
      'Unknown: this call may or may not have run; its result was lost.',
      'Not run: not in this fork.',
      'Unknown: this call may or may not have run; its result was lost.',
      'Not run: not in this fork.',
      'later',
    ]);
  });

  it.each(['t', 'x'.repeat(256), 'é'.repeat(128), '😀'.repeat(64)])('of %s has a valid id of its own', (threadId) => {
    const id = forkId(threadId, 'abcdefghijklmnopqrstuv');
    assertThreadId(id);
    expect(id).toMatch(/~abcdefghijklmnopqrstuv$/);
    expect(threadId.startsWith(id.slice(0, -23))).toBe(true);
  });

  it('is made of a thread as it is, or as it was after a step, and goes on by itself', async () => {
    const world = createWorld();
    const counts = named('count', (_, { variables }) => variables.set('n', Number(variables.get('n') ?? 0) + 1));
    const bot = world.process([asksFor('count'), says('one'), asksFor('count'), says('two')], [counts]);
    await bot.agent.run('first');
    await bot.agent.run('second');
    const threads = createThreads(defineCheckpointer(world.store, world.runtime), { runtime: world.runtime });
    const now = await threads.fork('t');
    const past = await threads.fork('t', { as: 'past', atStep: 2 });
    expect((await threads.get(now))?.history.slice(1)).toEqual((await threads.get('t'))?.history.slice(1));
    expect(await threads.get(past)).toMatchObject({ variables: { n: 1 }, current_step: 2 });
    const other = bot.factory.create({ threadId: past });
    expect(await other.run('again')).toMatchObject({ status: 'done' });
    expect((await threads.get('t'))?.history.at(-1)?.content).toBe('two');
    await expect(threads.fork('t', { as: 'past' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(threads.fork('nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('knows the inputs of the thread: sent again, they get what became of them', async () => {
    const world = createWorld();
    const bot = world.process([says('one'), says('two')]);
    await bot.agent.run('first', { inputId: 'i1' });
    await bot.agent.run('second', { inputId: 'i2' });
    const threads = createThreads(defineCheckpointer(world.store, world.runtime), { runtime: world.runtime });
    const copy = bot.factory.create({ threadId: await threads.fork('t') });
    expect(await copy.run('second', { inputId: 'i2' })).toMatchObject({ answer: 'two' });
    expect(await copy.run('first', { inputId: 'i1' })).toMatchObject({ answer: 'one' });
    expect(bot.requests).toHaveLength(2);
  });

  it('after an earlier step knows the inputs that were answered by then', async () => {
    const world = createWorld();
    const bot = world.process([says('one'), says('two')]);
    await bot.agent.run('first', { inputId: 'i1' });
    await bot.agent.run('second', { inputId: 'i2' });
    const threads = createThreads(defineCheckpointer(world.store, world.runtime), { runtime: world.runtime });
    const copy = bot.factory.create({ threadId: await threads.fork('t', { atStep: 1 }) });
    expect(await copy.run('first', { inputId: 'i1' })).toMatchObject({ answer: 'one' });
    expect(bot.requests).toHaveLength(2);
  });

  it('[S-TTL-02] lives as long as the thread was to', async () => {
    const ttl = { ttlMs: 3_600_000, pausedTtlMs: 7_200_000 };
    const world = createWorld();
    await world.process([says('one')], [], { ttl }).agent.run('first');
    const checkpointer = defineCheckpointer(world.store, world.runtime);
    const id = await createThreads(checkpointer, { runtime: world.runtime }).fork('t');
    expect(await checkpointer.peek(id)).toMatchObject({ ttl });
  });

  it('in the middle of a turn: the calls did not run in it', async () => {
    const world = createWorld();
    const bot = world.process([asksFor('count'), says('one')], [named('count', () => 1)]);
    await bot.agent.run('first');
    const threads = createThreads(defineCheckpointer(world.store, world.runtime), { runtime: world.runtime });
    const id = await threads.fork('t', { atStep: 1 });
    expect((await threads.get(id))?.history.at(-1)?.content).toBe('Not run: not in this fork.');
  });

  it.each(['applied', 'lost', 'refused'] as const)(
    'whose answer is %s is made once, and its id is told',
    async (fault) => {
      const { world, client, threads } = await setting();
      client.next('save', fault);
      client.next('load', 'refused');
      const id = await world.runtime.until(threads.fork('t'));
      expect([...world.store.threads.keys()]).toEqual(['t', id]);
      client.next('save', fault);
      expect(await world.runtime.until(threads.fork('t', { as: 'copy' }))).toBe('copy');
      await expect(threads.fork('t', { as: 'copy' })).rejects.toMatchObject({ code: 'conflict' });
    },
  );

  it('is recognised also where somebody has gone on with it before its answer was missed', async () => {
    const { world, client, threads, bot } = await setting();
    client.next('save', 'applied');
    client.next('peek', 'fine', async () => bot.factory.create({ threadId: 'copy' }).run('second'));
    expect(await world.runtime.until(threads.fork('t', { as: 'copy' }))).toBe('copy');
    expect((await threads.get('copy'))?.history.at(-1)?.content).toBe('two');
  });

  it('that may be there all the same is named by the error', async () => {
    const { world, client, threads } = await setting();
    client.next('save', 'applied');
    client.next('peek', 'fine', ...Array.from({ length: 20 }, () => 'refused' as const));
    const begun = world.runtime.monotonic();
    const failure = await world.runtime.until(threads.fork('t').catch((error: unknown) => error));
    const forkId = [...world.store.threads.keys()].at(-1);
    expect(failure).toMatchObject({ code: 'unavailable', applied: 'maybe', threadId: 't', forkId });
    expect(world.runtime.monotonic() - begun).toBeLessThanOrEqual(5_000);
  });
});
