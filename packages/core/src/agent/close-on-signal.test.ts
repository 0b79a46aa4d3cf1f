import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { asksFor, createWorld, named, says } from '../testing/agents.ts';
import { settle } from '../testing/virtual-runtime.ts';
import { closeOnSignal } from './close-on-signal.ts';

describe('a process that is asked to end', () => {
  it('lets go of its run where it is; another goes on at once, and the call was not counted as a death', async () => {
    const world = createWorld();
    const attempts: number[] = [];
    const slow = named('slow', (_, { attempt, signal }) => {
      attempts.push(attempt);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    });
    const bot = world.process([asksFor('slow')], [slow]);
    const running = bot.agent.run('hi');
    const outcome = expect(running).rejects.toMatchObject({ code: 'closed' });
    await settle();
    const ended: number[] = [];
    closeOnSignal(bot.factory, { signals: ['SIGHUP'], deadlineMs: 2_000, exit: (code) => void ended.push(code) });
    process.emit('SIGHUP', 'SIGHUP');
    await world.runtime.advance(2_000);
    await outcome;
    expect(ended).toEqual([129]);
    expect(world.runtime.pending('all')).toBe(0);
    const stored = await defineCheckpointer(world.store, world.runtime).load('t');
    expect(stored).toMatchObject({ state: { run: { phase: 'act', owner: null } } });
    const other = world.process(
      [says('unused'), says('done')],
      [named('slow', (_, { attempt }) => attempts.push(attempt))],
    );
    expect(await other.agent.run('next', { onBusy: 'throw' })).toMatchObject({ answer: 'done' });
    expect(attempts).toEqual([0, 0]);
    expect(process.listenerCount('SIGHUP')).toBe(0);
  });

  it('ends the runs of agents without a store, and hands out nothing of them', async () => {
    const world = createWorld();
    const bot = world.process([() => new Promise<never>(() => {})]);
    const outcome = expect(bot.factory.create().run('hi')).rejects.toMatchObject({ code: 'closed' });
    await settle();
    const told: unknown[] = [];
    closeOnSignal(bot.factory, {
      signals: ['SIGHUP'],
      deadlineMs: 2_000,
      onClosed: (unsaved) => void told.push(unsaved),
      exit: (code) => void told.push(code),
    });
    process.emit('SIGHUP', 'SIGHUP');
    await world.runtime.advance(2_000);
    await outcome;
    expect(told).toEqual([[], 129]);
  });

  it.each<[object, string]>([
    [{ deadlineMS: 1 }, 'deadlineMS'],
    [{ deadlineMs: '8000' }, 'deadlineMs'],
    [{ signals: 'SIGHUP' }, 'signals'],
    [{ signals: ['SIGKIL'] }, 'signals'],
  ])('is not listened to with %j', (options, path) => {
    const { factory } = createWorld().process([]);
    const before = process.eventNames();
    expect(() => closeOnSignal(factory, options)).toThrow(expect.objectContaining({ code: 'configuration', path }));
    expect(process.eventNames()).toEqual(before);
  });

  it('hands out what it could not store, and ends', async () => {
    const world = createWorld();
    const bot = world.process([says('one')]);
    bot.client.down();
    await world.runtime.until(bot.agent.run('hi'));
    const told: string[] = [];
    const remove = closeOnSignal(bot.factory, {
      signals: ['SIGHUP'],
      deadlineMs: 100,
      onClosed: (unsaved) => void told.push(...unsaved.map(({ threadId }) => threadId)),
      exit: () => void told.push('ended'),
    });
    process.emit('SIGHUP', 'SIGHUP');
    await world.runtime.advance(1_000);
    expect(told).toEqual(['t', 'ended']);
    remove();
  });
});
