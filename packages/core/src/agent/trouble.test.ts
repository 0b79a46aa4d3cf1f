import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import { sleep } from '../protocol/runtime.ts';
import { asksFor, createWorld, named, says, type World } from '../testing/agents.ts';
import { textOf } from './record/text.ts';

const stored = async ({ store, runtime }: World) => {
  const thread = await defineCheckpointer(store, runtime).load('t');
  if (!thread.found) throw new Error('There is no thread.');
  return thread.state;
};
const texts = async (world: World) => (await stored(world)).history.map(textOf);

describe('trouble within a run', () => {
  it.each(['refused', 'lost', 'applied'] as const)(
    '[A7] a save that fails (%s) after a tool has run is tried again; the tool is not',
    async (fault) => {
      const world = createWorld();
      const ran: string[] = [];
      const bot = world.process(
        [asksFor('a', 'b'), says('done')],
        [named('a', () => ran.push('a')), named('b', () => ran.push('b'))],
      );
      bot.client.next('save', 'fine', 'fine', fault, fault);
      expect(await world.runtime.until(bot.agent.run('hi'))).toMatchObject({ status: 'done', durable: true });
      expect(ran).toEqual(['a', 'b']);
      expect(bot.types()).not.toContain('volatile');
      expect(await texts(world)).toEqual(['Be kind.', 'hi', '', '1', '2', 'done']);
    },
  );

  it('[A9] a tool that keeps the event loop busy is no outage: what was answered meanwhile counts', async () => {
    const world = createWorld();
    const { runtime } = world;
    const quick = named('quick', () => 'quick');
    const busy = named('busy', async () => {
      await sleep(runtime, 1);
      runtime.block(10_000);
      return 'busy';
    });
    const bot = world.process([asksFor('quick', 'busy'), says('done')], [quick, busy]);
    // The save of the quick result is under way while the other tool blocks; its answer is there when it ends.
    bot.client.next('save', 'fine', 'fine', () => sleep(runtime, 2));
    expect(await runtime.until(bot.agent.run('hi'))).toMatchObject({ status: 'done', durable: true });
    expect([bot.warnings, bot.types().includes('volatile')]).toEqual([[], false]);
    expect(await texts(world)).toEqual(['Be kind.', 'hi', '', 'quick', 'busy', 'done']);
  });

  it('[A10] a tool that rejects, now or after its time, gives a failed result, and the run goes on', async () => {
    const world = createWorld();
    const { runtime } = world;
    const rejects = named('rejects', () => Promise.reject(new Error('no')));
    const late = named('late', () => sleep(runtime, 50).then(() => Promise.reject(new Error('too late'))), {
      timeoutMs: 10,
    });
    const bot = world.process([asksFor('rejects', 'late'), says('done')], [rejects, late]);
    expect(await runtime.until(bot.agent.run('hi'))).toMatchObject({ status: 'done', durable: true });
    await runtime.advance(100);
    expect((await texts(world)).slice(3)).toEqual(['Error: no', 'Error: The tool took longer than 10 ms.', 'done']);
  });

  it('[A10] a model that throws fails the run; one that hangs is aborted when the time of the run is over', async () => {
    const world = createWorld();
    const throwing = world.process([() => Promise.reject(new Error('down'))]);
    await expect(throwing.agent.run('one')).rejects.toMatchObject({ code: 'model' });
    let aborted = false;
    const hanging = world.process([
      ({ signal }) =>
        new Promise<never>(() =>
          signal.addEventListener('abort', () => {
            aborted = true;
          }),
        ),
    ]);
    await expect(world.runtime.until(hanging.agent.run('two'))).rejects.toMatchObject({ code: 'max_execution_time' });
    expect(aborted).toBe(true);
    expect((await stored(world)).run).toMatchObject({ phase: 'failed', owner: null });
    expect(await world.process([says('fine')]).agent.run('three')).toMatchObject({ answer: 'fine', durable: true });
    expect(await texts(world)).toEqual(['Be kind.', 'one', 'two', 'three', 'fine']);
  });
});
