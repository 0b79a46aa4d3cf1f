import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import type { Message } from '../state/schema.ts';
import { asksFor, createWorld, named, says } from '../testing/agents.ts';
import { answers, asks, toolCall, user } from '../testing/samples.ts';
import { createThreads } from './threads.ts';

async function setting() {
  const world = createWorld();
  const tools = [named('look', () => 'seen')];
  const bot = world.process([asksFor('look'), says('one'), says('two'), says('three')], tools);
  await bot.agent.run('first');
  await bot.agent.run('second');
  const threads = createThreads(defineCheckpointer(world.store, world.runtime), { runtime: world.runtime });
  const texts = async () => (await threads.get('t'))?.history.map(({ content }) => content);
  return { world, bot, threads, texts };
}

describe('a rewrite of the history', () => {
  it('replaces it, begins a new generation, and the thread goes on', async () => {
    const { bot, threads, texts } = await setting();
    const summary: Message = { role: 'system', content: 'So far: first, second.' };
    await threads.rewrite('t', (history) => [summary, ...history.slice(-2)]);
    expect(await texts()).toEqual(['So far: first, second.', 'second', 'two']);
    expect(await bot.agent.run('third')).toMatchObject({ status: 'done', durable: true });
    expect((await texts())?.slice(2, 4)).toEqual(['two', 'third']);
  });

  it('[S-RES-04] never parts a call from its result, and writes nothing then', async () => {
    const { world, threads } = await setting();
    const writes = world.store.written.length;
    const cut = (history: readonly Message[]) => history.filter(({ role }) => role !== 'tool');
    await expect(threads.rewrite('t', cut)).rejects.toMatchObject({ code: 'invalid_argument', path: 'history' });
    const orphan = (history: readonly Message[]) => history.slice(3);
    await expect(threads.rewrite('t', orphan)).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(world.store.written).toHaveLength(writes);
  });

  it('is made anew of what is there, where the thread has moved meanwhile', async () => {
    const { bot, threads, texts } = await setting();
    let rounds = 0;
    await threads.rewrite('t', async (history) => {
      rounds += 1;
      if (rounds === 1) await bot.agent.run('meanwhile');
      return [user('summary'), ...history.slice(-2)];
    });
    expect(rounds).toBe(2);
    expect((await texts())?.slice(0, 2)).toEqual(['summary', 'meanwhile']);
  });

  it('under a run at work: that run loses the thread, and its results are not lost by the store', async () => {
    const world = createWorld();
    const threads = createThreads(defineCheckpointer(world.store, world.runtime), { runtime: world.runtime });
    const owner = world.process([
      async () => {
        await threads.rewrite('t', (history) => [user('rewritten'), ...history.slice(1)]);
        return says('late');
      },
    ]);
    await expect(world.runtime.until(owner.agent.run('first'))).rejects.toMatchObject({ code: 'taken_over' });
    const texts = (await threads.get('t'))?.history.map(({ content }) => content);
    expect(texts).toEqual(['rewritten', 'first']);
    expect(owner.types()).not.toContain('diverged');
  });

  it('tells still what became of an input whose follower is gone, and that an answer is gone', async () => {
    const world = createWorld();
    const bot = world.process([says('one'), says('two'), says('three')]);
    for (const id of ['i1', 'i2', 'i3']) await bot.agent.run(id, { inputId: id });
    const threads = createThreads(defineCheckpointer(world.store, world.runtime), { runtime: world.runtime });
    await threads.rewrite('t', (history) => history.filter((_, index) => index < 3 || index > 4));
    expect(await bot.agent.run('?', { inputId: 'i1' })).toMatchObject({ answer: 'one' });
    await threads.rewrite('t', (history) => [...history.slice(0, -1), { role: 'assistant', content: 'SUMMARY' }]);
    await expect(bot.agent.run('?', { inputId: 'i3' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(bot.agent.resume()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a history that was not whole before may leave it so', async () => {
    const world = createWorld();
    const store = defineCheckpointer(world.store, world.runtime);
    await store.save('t', { state: { history: [user('a'), asks(toolCall('x'), toolCall('x')), answers('x', 'y')] } });
    const threads = createThreads(store, { runtime: world.runtime });
    await threads.rewrite('t', (history) => history.slice(1));
    expect((await threads.get('t'))?.history).toHaveLength(2);
  });

  it('keeps the calls that are open: they stay the last thing that was said', async () => {
    const world = createWorld();
    const asks = named('ask', () => 1, { needsApproval: true });
    const bot = world.process([asksFor('ask')], [asks]);
    await bot.agent.run('first');
    const threads = createThreads(defineCheckpointer(world.store, world.runtime), { runtime: world.runtime });
    await expect(threads.rewrite('t', (history) => history.slice(0, -1))).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await threads.rewrite('t', (history) => history.slice(-1));
    const [call] = await threads.pending('t');
    await threads.decide('t', call?.key ?? '', { verdict: 'approve' });
    const other = world.process([says('unused'), says('done')], [asks]);
    expect(await other.agent.resume()).toMatchObject({ status: 'done' });
  });
});
