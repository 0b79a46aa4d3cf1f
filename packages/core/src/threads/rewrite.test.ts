import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { AgentStateError } from '../protocol/errors.ts';
import { sleep } from '../protocol/runtime.ts';
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
    const { world, bot, threads, texts } = await setting();
    let rounds = 0;
    const rewriting = threads.rewrite('t', async (history) => {
      rounds += 1;
      if (rounds === 1) await bot.agent.run('meanwhile');
      return [user('summary'), ...history.slice(-2)];
    });
    await world.runtime.until(rewriting);
    expect(rounds).toBe(2);
    expect((await texts())?.slice(0, 2)).toEqual(['summary', 'meanwhile']);
  });

  it('is tried until the budget is spent, as a request is', async () => {
    const { world } = await setting();
    const { client } = world.process([]);
    const threads = createThreads(client, { runtime: world.runtime });
    const identity = () => world.runtime.until(threads.rewrite('t', (history) => history));
    client.next('load', 'refused');
    client.next('save', 'refused');
    await identity();
    client.down('hangs');
    const begun = world.runtime.monotonic();
    await expect(identity()).rejects.toMatchObject({ code: 'unavailable' });
    expect(world.runtime.monotonic() - begun).toBeLessThanOrEqual(5_001);
    client.up();
    client.next('save', ...Array.from({ length: 12 }, () => 'hangs' as const));
    await expect(identity()).rejects.toMatchObject({ code: 'unavailable', applied: 'maybe' });
    expect(world.runtime.monotonic() - begun).toBeLessThanOrEqual(10_002);
  });

  it('whose answer is lost is made once: a write that landed is recognised, and another is made of the same history', async () => {
    const { world, texts } = await setting();
    const { client } = world.process([]);
    const threads = createThreads(client, { runtime: world.runtime });
    for (const fault of ['applied', 'lost', 'refused'] as const) {
      let asked = 0;
      client.next('save', fault);
      const change = (history: readonly Message[]) => {
        asked += 1;
        return [user(`summary, ${fault}`), ...history.slice(-2)];
      };
      await world.runtime.until(threads.rewrite('t', change));
      expect([asked, await texts()]).toEqual([1, [`summary, ${fault}`, 'second', 'two']]);
    }
    expect((await threads.steps('t')).filter(({ phase }) => phase === 'rewrite')).toHaveLength(3);
  });

  it('whose answer is lost is not made a second time where nothing tells whether it landed', async () => {
    const world = createWorld();
    const { client } = world.process([]);
    const other = defineCheckpointer(world.store, world.runtime);
    await other.save('t', { state: { history: [user('first')] } });
    const threads = createThreads(client, { runtime: world.runtime });
    client.next('save', 'applied');
    client.next('load', 'fine', async () => {
      const found = await other.load('t');
      if (found.found) await other.save('t', { base: found, state: found.state, appendedFrom: found.length });
    });
    let asked = 0;
    const twice = (history: readonly Message[]) => {
      asked += 1;
      return [user('again'), ...history];
    };
    const rewriting = world.runtime.until(threads.rewrite('t', twice));
    await expect(rewriting).rejects.toMatchObject({ code: 'unavailable', applied: 'maybe', threadId: 't' });
    expect((await threads.get('t'))?.history).toEqual([user('again'), user('first')]);
    expect(asked).toBe(1);
  });

  it('whose answer is lost is made of what is there then, where a run tells that it did not land', async () => {
    const { world, bot, texts } = await setting();
    const { client } = world.process([]);
    const threads = createThreads(client, { runtime: world.runtime });
    client.next('save', 'lost');
    client.next('load', 'fine', () => bot.agent.run('third'));
    await world.runtime.until(threads.rewrite('t', (history) => [user('summary'), ...history.slice(-2)]));
    expect(await texts()).toEqual(['summary', 'third', 'three']);
  });

  it('may take its time to be made, and ends with what the making of it throws', async () => {
    const { world, threads, texts } = await setting();
    const slow = async () => {
      await sleep(world.runtime, 60_000);
      return [user('summary')];
    };
    await world.runtime.until(threads.rewrite('t', slow));
    expect(await texts()).toEqual(['summary']);
    let asked = 0;
    const failing = () => {
      asked += 1;
      throw new AgentStateError('unavailable', 'The model that summarises is.');
    };
    await expect(threads.rewrite('t', failing)).rejects.toThrow(/summarises/);
    expect(asked).toBe(1);
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

  it('that changes nothing changes nothing of what became of the inputs: on a fork, and after another rewrite', async () => {
    const world = createWorld();
    let asked = 0;
    const failsOnce = () => {
      asked += 1;
      return asked === 1 ? Promise.reject(new AgentStateError('model', 'no')) : says('three');
    };
    const bot = world.process([says('one'), failsOnce, says('four')]);
    for (const id of ['i1', 'i2', 'i3', 'i4']) await bot.agent.run(id, { inputId: id }).catch(() => {});
    const threads = createThreads(defineCheckpointer(world.store, world.runtime), { runtime: world.runtime });
    const outcomes = (threadId: string) => {
      const agent = bot.factory.create({ threadId });
      const again = ['i1', 'i2', 'i3', 'i4'].map((inputId) => agent.run('?', { inputId }));
      return Promise.all(
        again.map((run) =>
          run.then(
            ({ answer }) => answer,
            ({ code }: AgentStateError) => code,
          ),
        ),
      );
    };
    const fork = await threads.fork('t');
    await threads.rewrite(fork, (history) => history);
    expect(await outcomes(fork)).toEqual(['one', 'model', 'three', 'four']);
    const withoutThird = (history: readonly Message[]) =>
      history.filter(({ content }) => content !== 'i3' && content !== 'three');
    await threads.rewrite('t', withoutThird);
    await threads.rewrite('t', (history) => history);
    expect(await outcomes('t')).toEqual(['one', 'model', 'not_found', 'four']);
  });

  it('leaves an answer gone that an earlier one took: no other message comes in its place, in a fork neither', async () => {
    const world = createWorld();
    const bot = world.process([says('one'), says('two'), says('three')]);
    for (const id of ['i1', 'i2', 'i3']) await bot.agent.run(id, { inputId: id });
    const threads = createThreads(defineCheckpointer(world.store, world.runtime), { runtime: world.runtime });
    const summary: Message = { role: 'assistant', content: 'SUMMARY' };
    await threads.rewrite('t', (history) => history.map((message) => (message.content === 'one' ? summary : message)));
    await threads.rewrite('t', (history) => history.filter(({ content }) => content !== 'i2' && content !== 'two'));
    await threads.rewrite('t', (history) => [...history.slice(0, -1), summary]);
    for (const threadId of ['t', await threads.fork('t'), await threads.fork('t', { atStep: 3 })]) {
      const again = (inputId: string) => bot.factory.create({ threadId }).run('?', { inputId });
      for (const id of ['i1', 'i2', 'i3']) await expect(again(id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('that leaves out an input whose run is open does not lose the answer that comes later', async () => {
    const world = createWorld();
    const asking = named('ask', () => 'asked', { needsApproval: true });
    const bot = world.process([asksFor('ask'), says('one'), says('two'), says('three')], [asking]);
    await bot.agent.run('first', { inputId: 'i1' });
    const threads = createThreads(defineCheckpointer(world.store, world.runtime), { runtime: world.runtime });
    await threads.rewrite('t', (history) => [user('summary'), ...history.slice(-1)]);
    const [call] = await threads.pending('t');
    await threads.decide('t', call?.key ?? '', { verdict: 'approve' });
    await bot.agent.resume();
    const again = () => bot.agent.run('?', { inputId: 'i1' });
    expect(await again()).toMatchObject({ answer: 'one' });
    await bot.agent.run('second', { inputId: 'i2' });
    expect(await again()).toMatchObject({ answer: 'one' });
    await threads.rewrite('t', (history) => history);
    expect(await again()).toMatchObject({ answer: 'one' });
    await threads.rewrite('t', (history) => [user('shorter'), ...history.slice(-2)]);
    await expect(again()).rejects.toMatchObject({ code: 'not_found' });
    expect(await bot.agent.run('?', { inputId: 'i2' })).toMatchObject({ answer: 'two' });
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
