import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../../protocol/define.ts';
import { AgentStateError } from '../../protocol/errors.ts';
import { sleep } from '../../protocol/runtime.ts';
import { toHistory, toState } from '../../state/encode.ts';
import type { PreviousRun } from '../../state/schema.ts';
import { asksFor, createWorld, named, says, type World } from '../../testing/agents.ts';
import { user } from '../../testing/samples.ts';
import { createThreads } from '../../threads/threads.ts';
import { isKnown, withEarlierInputs } from './inputs.ts';
import { textOf } from './text.ts';

const threadsOf = ({ store, runtime }: World) => createThreads(defineCheckpointer(store, runtime), { runtime });
const echo = Array.from({ length: 9 }, (_, index) => says(`answer ${index + 1}`));
const texts = async (world: World) => (await threadsOf(world).get('t'))?.history.map(textOf);

describe('an input that is sent again', () => {
  it('[E10] [E16] gets its answer: no model call, no tool, no write; also after two later inputs', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    await bot.agent.run('one', { inputId: 'i1' });
    const writes = world.store.written.length;
    const other = world.process([]);
    expect(await other.agent.run('one', { inputId: 'i1' })).toMatchObject({ answer: 'answer 1', durable: true });
    expect([world.store.written.length, other.requests]).toEqual([writes, []]);
    await bot.agent.run('two', { inputId: 'i2' });
    await bot.agent.run('three', { inputId: 'i3' });
    const again = await Promise.all(['i1', 'i2', 'i3'].map((inputId) => other.agent.run('?', { inputId })));
    expect(again.map(({ answer }) => answer)).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(await texts(world)).toEqual(['Be kind.', 'one', 'answer 1', 'two', 'answer 2', 'three', 'answer 3']);
  });

  it('[E10] [E16] while its run is at work in this process: both get the one answer', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    const both = await Promise.all([1, 2].map(() => bot.agent.run('one', { inputId: 'i1' })));
    expect(both.map(({ answer }) => answer)).toEqual(['answer 1', 'answer 1']);
    expect(bot.requests).toHaveLength(1);
  });

  it('[E10] [E16] while its run is at work elsewhere: it is waited for', async () => {
    const world = createWorld();
    const slow = named('slow', async () => sleep(world.runtime, 12_000));
    const owner = world.process([asksFor('slow'), says('by the owner')], [slow]);
    const running = owner.agent.run('one', { inputId: 'i1' });
    await world.runtime.advance(100);
    const other = world.process([], [slow]);
    expect(await world.runtime.until(other.agent.run('one', { inputId: 'i1' }))).toMatchObject({
      answer: 'by the owner',
    });
    await running;
    expect(other.requests).toEqual([]);
  });

  it('whose process died: the run goes on, and is not begun again', async () => {
    const world = createWorld();
    const ran: string[] = [];
    const owner = world.process(
      [asksFor('deadly')],
      [
        named('deadly', (_, { idempotencyKey }) => {
          ran.push(idempotencyKey);
          return new Promise(() => {});
        }),
      ],
    );
    void owner.agent.run('one', { inputId: 'i1' }).catch(() => {});
    await world.runtime.advance(100);
    owner.client.down('hangs');
    const deadly = named('deadly', (_, { idempotencyKey }) => void ran.push(idempotencyKey));
    const other = world.process([says('unused'), says('done')], [deadly]);
    expect(await world.runtime.until(other.agent.run('one', { inputId: 'i1' }))).toMatchObject({ answer: 'done' });
    expect(world.runtime.monotonic()).toBeGreaterThan(15_000);
    expect(new Set(ran).size).toBe(1);
    expect(ran).toHaveLength(2);
  });

  it('[E16] whose run failed gets its error; with `retry` it runs again, and is there once', async () => {
    const world = createWorld();
    const fails = () => Promise.reject(new AgentStateError('model', 'no'));
    const bot = world.process([fails]);
    await expect(bot.agent.run('one', { inputId: 'i1' })).rejects.toMatchObject({ code: 'model' });
    const other = world.process(echo);
    await expect(other.agent.run('one', { inputId: 'i1' })).rejects.toMatchObject({ code: 'model' });
    expect(other.requests).toEqual([]);
    expect(await other.agent.run('one', { inputId: 'i1', retry: true })).toMatchObject({ answer: 'answer 1' });
    expect(await texts(world)).toEqual(['Be kind.', 'one', 'answer 1']);
  });

  it('that a later one overtook is told so', async () => {
    const world = createWorld();
    const owner = world.process([() => new Promise<never>(() => {})]);
    void owner.agent.run('one', { inputId: 'i1' }).catch(() => {});
    await world.runtime.advance(100);
    const other = world.process(echo);
    await other.agent.run('two', { inputId: 'i2', onBusy: 'takeOver' });
    await expect(other.agent.run('one', { inputId: 'i1' })).rejects.toMatchObject({ code: 'superseded' });
  });

  it('is known after a rewrite that dropped it', async () => {
    const world = createWorld();
    const bot = world.process(echo);
    await bot.agent.run('one', { inputId: 'i1' });
    await bot.agent.run('two', { inputId: 'i2' });
    await threadsOf(world).rewrite('t', (history) => history.slice(3), { reason: 'summary' });
    expect(await texts(world)).toEqual(['two', 'answer 2']);
    await expect(bot.agent.run('one', { inputId: 'i1' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await bot.agent.run('two', { inputId: 'i2' })).toMatchObject({ answer: 'answer 2' });
    const steps = await threadsOf(world).steps('t');
    expect(steps.at(-1)).toMatchObject({ phase: 'rewrite', reason: 'summary', generation: 1, history_length: 2 });
  });

  it.each(['', 7, 'x'.repeat(257), '\ud800'])('is refused with an id that is none: %j', async (inputId) => {
    const bot = createWorld().process(echo);
    await expect(bot.agent.run('one', { inputId: inputId as string })).rejects.toMatchObject({
      code: 'invalid_argument',
      path: 'inputId',
    });
  });
});

describe('what the first message tells of earlier inputs', () => {
  const told = (input_id: string, outcome: PreviousRun['outcome'] = 'done') => ({ input_id, run_id: 'r', outcome });
  const withEarlier = (...groups: PreviousRun[][]) => groups.reduce(withEarlierInputs, toHistory([user('summary')]));

  it('is of the last 1,000, in the order in which they were told, whatever their ids look like', () => {
    const all = Array.from({ length: 1_003 }, (_, index) => told(String(5_000 - index)));
    const state = toState({ history: withEarlier(all.slice(0, 1_000), all.slice(1_000)) }, 0);
    expect(all.filter(({ input_id }) => isKnown(state, input_id))).toEqual(all.slice(3));
  });

  it('is told once of each: the last telling counts', () => {
    const [first] = withEarlier([told('a', 'superseded'), told('b')], [told('a')]);
    expect(first?.metadata?.earlier_inputs).toEqual([told('b'), told('a')]);
  });
});
