import { describe, expect, it } from 'vitest';
import type { Checkpointer } from '../protocol/checkpointer.ts';
import { defineCheckpointer } from '../protocol/define.ts';
import { sleep } from '../protocol/runtime.ts';
import { asksFor, createWorld, named, says } from '../testing/agents.ts';
import { createTextStore } from '../testing/text-store.ts';
import { createVirtualRuntime, settle } from '../testing/virtual-runtime.ts';
import { createAgentFactory } from './factory.ts';

/** An agent on a store whose load is what it is given. */
function setting(load: (store: Checkpointer) => Checkpointer['load'], onStoreDown: 'volatile' | 'wait') {
  const runtime = createVirtualRuntime();
  const store = defineCheckpointer(createTextStore(), runtime);
  let asked = 0;
  const generate = async () => {
    asked += 1;
    return { content: 'too late' };
  };
  const factory = createAgentFactory({
    profiles: { p: { name: 'p', connectionName: 'm' } },
    defaultProfile: 'p',
    models: { m: { name: 'm', generate } },
    checkpointer: { ...store, load: load(store) },
    onStoreDown,
    runtime,
  });
  const running = factory.create({ threadId: 't' }).run('hi');
  return {
    runtime,
    store,
    factory,
    asked: () => asked,
    outcome: expect(running).rejects.toMatchObject({ code: 'closed' }),
  };
}

it('ends a run that still loads its thread: it neither asks the model nor writes', async () => {
  let load = (): void => {};
  const gate = new Promise<void>((resolve) => (load = resolve));
  const { runtime, store, factory, asked, outcome } = setting(
    (all) => async (threadId) => {
      await gate;
      return all.load(threadId);
    },
    'volatile',
  );
  await settle();
  await runtime.until(factory.close({ deadlineMs: 100 }));
  load();
  await outcome;
  expect(asked()).toBe(0);
  expect(await store.load('t')).toMatchObject({ found: false });
});

it.each(['volatile', 'wait'] as const)('ends a run whose load fails, where the policy is %s', async (policy) => {
  const down = async () => {
    throw new Error('down');
  };
  const { runtime, factory, asked, outcome } = setting(() => down, policy);
  await settle();
  await runtime.until(factory.close({ deadlineMs: 100 }));
  await runtime.advance(5_000);
  await outcome;
  expect(asked()).toBe(0);
  expect(runtime.pending('all')).toBe(0);
});

it('keeps no fork at work that comes of a save which was under way: it is handed out', async () => {
  const world = createWorld();
  const bot = world.process([says('mine')]);
  bot.client.down('hangs');
  await world.runtime.until(bot.agent.run('lost'));
  await world.process([says('theirs')]).agent.run('other');
  bot.client.up();
  let answer = (): void => {};
  bot.client.next('peek', () => new Promise<void>((resolve) => (answer = resolve)));
  const closing = bot.factory.close({ deadlineMs: 1_000 });
  await world.runtime.until(closing);
  answer();
  await world.runtime.advance(30_000);
  expect(world.runtime.pending('all')).toBe(0);
  expect([...world.store.threads.keys()]).toEqual(['t']);
});

it('begins no run that waits for its turn once it lets go of those at work: no thread keeps it for its owner', async () => {
  const world = createWorld();
  const slow = named('slow', (_, { signal }) => sleep(world.runtime, 60_000, signal));
  const owner = world.process([asksFor('slow'), says('unused')], [slow]);
  const runs = [owner.agent.run('one'), owner.agent.run('two')].map((run) =>
    expect(run).rejects.toMatchObject({ code: 'closed' }),
  );
  await world.runtime.advance(50);
  await world.runtime.until(owner.factory.close({ deadlineMs: 4_000 }));
  await Promise.all(runs);
  const stored = await defineCheckpointer(world.store, world.runtime).load('t');
  expect(stored).toMatchObject({ state: { history: [{}, { content: 'one' }, {}], run: { owner: null } } });
});

it('lets go of a thread that is claimed while it closes: any process goes on with it at once', async () => {
  const world = createWorld();
  const owner = world.process([says('unused')]);
  owner.client.next('save', () => sleep(world.runtime, 900));
  const running = expect(owner.agent.run('hi')).rejects.toMatchObject({ code: 'closed' });
  await world.runtime.advance(10);
  await world.runtime.until(owner.factory.close({ deadlineMs: 1_000 }));
  await running;
  expect(owner.requests).toHaveLength(0);
  const stored = await defineCheckpointer(world.store, world.runtime).load('t');
  expect(stored).toMatchObject({ state: { run: { phase: 'think', owner: null } } });
});

describe('agents without a store', () => {
  /** A process whose tool takes a second and a half, if its run lets it. */
  function slowly() {
    const world = createWorld();
    const log: string[] = [];
    const slow = named('slow', async (_, { signal }) => {
      await sleep(world.runtime, 1_500, signal);
      log.push(signal.aborted ? 'stopped' : 'ended');
    });
    const bot = world.process([asksFor('slow'), says('done'), says('again')], [slow]);
    return { ...world, factory: bot.factory, log };
  }

  it('are waited for by a close, and the calls of theirs that it finds queued', async () => {
    const { runtime, factory, log } = slowly();
    const agent = factory.create();
    const runs = [agent.run('one'), agent.run('two')];
    await runtime.advance(50);
    expect(await runtime.until(factory.close({ deadlineMs: 5_000 }))).toEqual({ unsaved: [] });
    expect(log).toEqual(['ended']);
    expect(await Promise.all(runs)).toMatchObject([{ answer: 'done' }, { answer: 'again' }]);
  });

  it('take no further runs once it has begun, whether they were made before or after', async () => {
    const { runtime, factory } = slowly();
    const old = factory.create();
    const busy = factory.create();
    const running = busy.run('one');
    await runtime.advance(50);
    const closing = factory.close();
    for (const agent of [old, busy, factory.create()]) {
      await expect(agent.run('late')).rejects.toMatchObject({ code: 'closed', threadId: agent.threadId });
    }
    await runtime.until(closing);
    await expect(running).resolves.toMatchObject({ answer: 'done' });
    await expect(busy.run('later still')).rejects.toMatchObject({ code: 'closed' });
  });

  it('are stopped where they are when its time is over; nothing of them is handed out', async () => {
    const { runtime, factory, log } = slowly();
    const outcome = expect(factory.create().run('one')).rejects.toMatchObject({ code: 'closed' });
    await runtime.advance(50);
    expect(await runtime.until(factory.close({ deadlineMs: 1_000 }))).toEqual({ unsaved: [] });
    await outcome;
    expect(log).toEqual(['stopped']);
    expect(runtime.monotonic()).toBeLessThanOrEqual(1_050);
  });
});
