import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { asksFor, createWorld, named, says } from '../testing/agents.ts';
import { createFaulty } from '../testing/faulty.ts';
import { user } from '../testing/samples.ts';
import { createTextStore } from '../testing/text-store.ts';
import { createThreads } from './threads.ts';

describe('threads', () => {
  const counts = named('count', (_, { variables }) => variables.set('n', Number(variables.get('n') ?? 0) + 1));

  async function setting(variables: Record<string, unknown> = {}) {
    const world = createWorld();
    const checkpointer = defineCheckpointer(world.store, world.runtime);
    await checkpointer.save('t', { state: { history: [user('before')], variables } });
    const bot = world.process([asksFor('count'), asksFor('count'), says('two')], [counts]);
    return { bot, checkpointer, threads: createThreads(checkpointer) };
  }

  it.each<[string, unknown, object, string]>([
    ['nothing', undefined, {}, 'checkpointer'],
    ['a store that is none', {}, {}, 'checkpointer'],
    ['a store that is not there yet', Promise.resolve(defineCheckpointer(createTextStore())), {}, 'checkpointer'],
    ['a time that is text', defineCheckpointer(createTextStore()), { storeCallMs: '2000' }, 'storeCallMs'],
    ['a budget of nothing', defineCheckpointer(createTextStore()), { storeBudgetMs: 0 }, 'storeBudgetMs'],
  ])('are not made of %s', (_, checkpointer, options, path) => {
    expect(() => createThreads(checkpointer as never, options)).toThrow(
      expect.objectContaining({ code: 'configuration', path }),
    );
  });

  it('are there or not', async () => {
    const { threads } = await setting();
    expect((await threads.get('t'))?.history).toEqual([user('before')]);
    expect(await threads.get('nobody')).toBeUndefined();
  });

  it('show the state after each step', async () => {
    const { threads, bot } = await setting();
    await bot.agent.run('count twice');
    const seen = [];
    for (const step of [1, 2, 3, 4, 5]) {
      const { history, variables, current_step } = await threads.stateAt('t', step);
      seen.push([current_step, history.length, variables]);
    }
    expect(seen).toEqual([
      [1, 3, {}],
      [2, 4, { n: 1 }],
      [3, 5, { n: 1 }],
      [4, 6, { n: 2 }],
      [5, 7, { n: 2 }],
    ]);
  });

  it('show variables that no step changed', async () => {
    const { threads, checkpointer } = await setting({ user: 'Alice' });
    const step = { step: 1, phase: 'think', at: '2026-11-29T10:00:00Z', run_id: 'r', history_length: 1 } as const;
    await checkpointer.save('t', { state: { history: [user('a')], variables: { user: 'Alice' } }, steps: [step] });
    expect((await threads.stateAt('t', 1)).variables).toEqual({ user: 'Alice' });
  });

  it('show variables that the thread had before its first step, also once a step has changed others', async () => {
    const { threads, bot, checkpointer } = await setting({ user: 'Alice' });
    await bot.agent.run('count twice');
    const seen = [];
    for (const step of [1, 2, 5]) seen.push((await threads.stateAt('t', step)).variables);
    expect(seen).toEqual([{ user: 'Alice' }, { user: 'Alice', n: 1 }, { user: 'Alice', n: 2 }]);
    const fork = await threads.fork('t', { atStep: 1 });
    expect((await threads.get(fork))?.variables).toEqual({ user: 'Alice' });
    const told = (await checkpointer.steps('t')).map(({ variables }) => variables !== undefined);
    expect(told).toEqual([true, true, false, true, false]);
  });

  it('show variables that the thread had when its history was rewritten before its first step', async () => {
    const { threads, bot } = await setting({ user: 'Alice' });
    await threads.rewrite('t', () => [user('summary')]);
    await bot.agent.run('count twice');
    expect((await threads.stateAt('t', 1)).variables).toEqual({ user: 'Alice' });
  });

  it('say so where there is no thread, no such step, or the history was rewritten after it', async () => {
    const { threads, bot, checkpointer } = await setting();
    await expect(threads.stateAt('nobody', 1)).rejects.toMatchObject({ code: 'not_found' });
    await bot.agent.run('count twice');
    await expect(threads.stateAt('t', 9)).rejects.toMatchObject({ code: 'not_found' });
    const step = { step: 6, phase: 'think', at: '2026-11-29T10:00:00Z', run_id: 'r', history_length: 1 } as const;
    await checkpointer.save('t', { state: { history: [user('new')], current_step: 6 }, steps: [step] });
    await expect(threads.stateAt('t', 1)).rejects.toMatchObject({ code: 'not_found' });
    expect((await threads.stateAt('t', 6)).history).toEqual([user('new')]);
  });

  it('say so of a step before a history that was replaced without a step', async () => {
    const { threads, bot, checkpointer } = await setting();
    await bot.agent.run('count twice');
    await checkpointer.save('t', { state: { history: [user('new'), user('newer'), user('newest')] } });
    await expect(threads.stateAt('t', 1)).rejects.toMatchObject({ code: 'not_found' });
    await expect(threads.fork('t', { atStep: 1 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('show a step that is saved while they look, and fork from it, as what the thread is by then', async () => {
    const looking = async () => {
      const { bot, checkpointer } = await setting();
      const client = createFaulty(checkpointer);
      client.next('steps', () => bot.agent.run('count twice', { inputId: 'i1' }));
      return { bot, threads: createThreads(client) };
    };
    expect((await (await looking()).threads.stateAt('t', 5)).history).toHaveLength(7);
    const { bot, threads } = await looking();
    const fork = await threads.fork('t', { atStep: 5 });
    expect((await threads.get(fork))?.history).toHaveLength(7);
    const inFork = bot.factory.create({ threadId: fork });
    expect(await inFork.run('count twice', { inputId: 'i1' })).toMatchObject({ answer: 'two' });
  });

  it('are deleted', async () => {
    const { threads } = await setting();
    await threads.delete('t');
    expect(await threads.get('t')).toBeUndefined();
    expect(await threads.steps('t')).toEqual([]);
  });

  it('answer within their deadline, whatever the store does', async () => {
    const world = createWorld();
    const { client } = world.process([]);
    client.down('hangs');
    const threads = createThreads(client, { runtime: world.runtime, storeCallMs: 500, storeBudgetMs: 1_000 });
    const asked: readonly Promise<unknown>[] = [
      threads.get('t'),
      threads.pending('t'),
      threads.fork('t'),
      threads.cancel('t'),
      threads.stateAt('t', 1),
    ];
    const outcomes = await world.runtime.until(Promise.allSettled(asked));
    expect(outcomes).toMatchObject(asked.map(() => ({ reason: { code: 'unavailable' } })));
    expect(world.runtime.monotonic()).toBeLessThan(3_000);
  });

  it('refuse what they cannot do anything with, as a rejection', async () => {
    const { threads } = await setting();
    const date = new Date(Number.NaN);
    await expect(threads.pause('t', { wakeAt: date })).rejects.toMatchObject({ path: 'wakeAt' });
    await expect(threads.pause('t', { wakeAt: new Date(8.64e15) })).rejects.toMatchObject({ path: 'wakeAt' });
    await expect(threads.pause('t', { reason: 5 as never })).rejects.toMatchObject({ path: 'reason' });
    await expect(threads.due(date)).rejects.toMatchObject({ path: 'now' });
    await expect(threads.due(new Date(8.64e15))).rejects.toMatchObject({ path: 'now' });
    await expect(threads.due(0 as never)).rejects.toMatchObject({ path: 'now' });
    await expect(threads.due()).rejects.toMatchObject({ code: 'unsupported' });
    await expect(threads.decide('t', 'k', { verdict: 'maybe' } as never)).rejects.toMatchObject({
      path: 'decision.verdict',
    });
    await expect(threads.propose('t', 'k', [1])).rejects.toMatchObject({ path: 'arguments' });
    for (const step of [0, -1, 1.5, Number.NaN, '1' as never]) {
      await expect(threads.stateAt('t', step)).rejects.toMatchObject({ code: 'invalid_argument', path: 'step' });
      await expect(threads.fork('t', { atStep: step })).rejects.toMatchObject({ path: 'atStep' });
    }
    const unknown = { code: 'invalid_argument', path: 'unknown' };
    const options = { unknown: 1 } as never;
    await expect(threads.fork('t', options)).rejects.toMatchObject(unknown);
    await expect(threads.pause('t', options)).rejects.toMatchObject(unknown);
    await expect(threads.rewrite('t', (history) => history, options)).rejects.toMatchObject(unknown);
  });
});
