import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { asksFor, createWorld, named, says, type World } from '../testing/agents.ts';
import { settle } from '../testing/virtual-runtime.ts';
import { createThreads } from '../threads/threads.ts';
import type { Reconciled, Tool } from './tool.ts';

const threadsOf = ({ store, runtime }: World) => createThreads(defineCheckpointer(store, runtime), { runtime });
const unused = says('unused');
const hangs = () => new Promise<never>(() => {});

async function results(world: World): Promise<unknown[]> {
  const history = (await threadsOf(world).get('t'))?.history ?? [];
  return history.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

/** A process that died in the middle of a `once` tool: it never says anything again. */
async function died(more: Partial<Tool> = {}) {
  const world = createWorld();
  const ran: string[] = [];
  const pays = (execute: Tool['execute']) => named('pay', execute, { effect: 'once', ...more });
  const first = world.process(
    [asksFor('pay')],
    [
      pays(() => {
        ran.push('first');
        return hangs();
      }),
    ],
  );
  void first.agent.run('pay').catch(() => {});
  await settle();
  expect(ran).toEqual(['first']);
  first.client.down('hangs');
  const second = world.process([unused, says('done')], [pays(() => ran.push('again'))]);
  return { world, ran, second };
}

describe('a tool that runs at most once', () => {
  it('starts when its intent is acknowledged, and not before', async () => {
    const world = createWorld();
    const stored: unknown[] = [];
    const pay = named(
      'pay',
      async () => void stored.push((await threadsOf(world).get('t'))?.run?.calls.map(({ status }) => status)),
      { effect: 'once' },
    );
    await world.process([asksFor('pay'), says('done')], [pay]).agent.run('pay');
    expect(stored).toEqual([['started']]);
  });

  it('is not started again after its process died: the model is told that nobody knows', async () => {
    const { world, ran, second } = await died();
    expect(await second.agent.resume()).toMatchObject({ answer: 'done' });
    expect(ran).toEqual(['first']);
    expect(await results(world)).toEqual(['Unknown: this call may or may not have run; its result was lost.']);
  });

  it.each<[Reconciled | undefined, string]>([
    [{ outcome: 'done', result: 'paid' }, 'paid'],
    [{ outcome: 'not_done' }, 'Not done: this call was begun and had no effect; it was not tried again.'],
    [{ outcome: 'unknown' }, 'Unknown: this call may or may not have run; its result was lost.'],
    [undefined, 'Unknown: this call may or may not have run; its result was lost.'],
  ])('says what its tool finds out: %j', async (known, expected) => {
    const { world, ran, second } = await died({ reconcile: () => known });
    await second.agent.resume();
    expect(ran).toEqual(['first']);
    expect(await results(world)).toEqual([expected]);
  });

  it('waits for a person, where it is to: nobody can approve it, somebody says what became of it', async () => {
    const { world, ran, second } = await died({ onUnknown: 'pause' });
    const paused = await second.agent.resume();
    expect(paused).toMatchObject({ status: 'paused', calls: [{ tool: 'pay', waitsFor: 'outcome' }] });
    const key = paused.status === 'paused' ? (paused.calls[0]?.key ?? '') : '';
    const threads = threadsOf(world);
    await expect(threads.decide('t', key, { verdict: 'approve' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await threads.decide('t', key, { verdict: 'answer', result: 'paid by hand' });
    expect(await second.agent.resume()).toMatchObject({ answer: 'done' });
    expect(await results(world)).toEqual(['paid by hand']);
    expect(ran).toEqual(['first']);
  });

  it('is unknown still where the person who was asked cannot say; the model reads what he said', async () => {
    const { world, second } = await died({ onUnknown: 'pause' });
    await second.agent.resume();
    const [call] = await threadsOf(world).pending('t');
    await threadsOf(world).decide('t', call?.key ?? '', { verdict: 'reject', reason: 'The bank does not answer.' });
    expect(await second.agent.resume()).toMatchObject({ answer: 'done' });
    expect(await results(world)).toEqual([
      'Unknown: this call may or may not have run; its result was lost. The bank does not answer.',
    ]);
  });

  it('that takes longer than its time is asked about like one whose process died', async () => {
    const world = createWorld();
    const slow = named('pay', () => hangs(), {
      effect: 'once',
      timeoutMs: 100,
      reconcile: () => ({ outcome: 'done', result: 'paid' }),
    });
    const bot = world.process([asksFor('pay'), says('done')], [slow]);
    expect(await world.runtime.until(bot.agent.run('pay'))).toMatchObject({ answer: 'done' });
    expect(await results(world)).toEqual(['paid']);
  });

  it('never starts while the store is out of reach: the call is told so', async () => {
    const world = createWorld();
    const ran: string[] = [];
    const bot = world.process(
      [asksFor('pay'), says('done')],
      [named('pay', () => ran.push('ran'), { effect: 'once' })],
    );
    bot.client.next('save', 'fine', () => Promise.resolve(bot.client.down()));
    expect(await world.runtime.until(bot.agent.run('pay'))).toMatchObject({ answer: 'done', durable: false });
    expect(ran).toEqual([]);
    bot.client.up();
    await world.runtime.advance(30_000);
    expect(await results(world)).toEqual([
      'Not run: the store is unavailable, and this tool may only start when it is not.',
    ]);
  });

  it('waits for the store, where the policy is to', async () => {
    const world = createWorld();
    const ran: string[] = [];
    const pay = named('pay', () => ran.push('ran'), { effect: 'once' });
    const bot = world.process([asksFor('pay'), says('done')], [pay], { onStoreDown: 'wait' });
    bot.client.next('save', 'fine', () => Promise.resolve(bot.client.down()));
    const running = bot.agent.run('pay');
    await world.runtime.advance(20_000);
    expect(ran).toEqual([]);
    bot.client.up();
    expect(await world.runtime.until(running)).toMatchObject({ durable: true });
    expect(ran).toEqual(['ran']);
  });

  it('is refused on a store that cannot compare and save in one step, unless it is asked for', () => {
    const world = createWorld({ conditional: false });
    const pay = named('pay', () => 1, { effect: 'once' });
    expect(() => world.process([], [pay])).toThrow(/effect 'once'/);
    expect(() => world.process([], [pay], { allowOnceWithoutConditional: true })).not.toThrow();
  });

  it('may be `once` only since the tool was changed: the stricter of the two holds', async () => {
    const { world, ran, second } = await died({ effect: 'idempotent' });
    const strict = world.process([unused, says('done')], [named('pay', () => ran.push('again'), { effect: 'once' })]);
    expect(await strict.agent.resume()).toMatchObject({ answer: 'done' });
    expect(ran).toEqual(['first']);
    void second;
  });
});
