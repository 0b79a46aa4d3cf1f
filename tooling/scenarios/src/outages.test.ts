import { type Checkpointer, createThreads } from '@agent-state/core';
import { describe, expect, it, type TestContext } from 'vitest';
import { calls, lines, says, startProcess, tool } from './agent.ts';
import { type FragileStore, outages } from './outages.ts';

/** The deadlines of these tests: what a user would set, only shorter. */
const deadlines = { storeCallMs: 1_000, storeBudgetMs: 2_500 };
/** A read-back may follow the last call of the budget. */
const longestMs = deadlines.storeBudgetMs + 2 * deadlines.storeCallMs;

const history = async (checkpointer: Checkpointer, threadId: string) =>
  lines((await createThreads(checkpointer).get(threadId))?.history);

/** What is opened here is closed when the test is over, the last one first. */
function begin(store: FragileStore, { onTestFinished }: TestContext): { readonly open: () => Checkpointer } {
  onTestFinished(async () => void (await store.stop()));
  return {
    open() {
      const checkpointer = store.open();
      onTestFinished(() => checkpointer.close());
      return checkpointer;
    },
  };
}

describe.each(outages)('when $name', { concurrent: true }, ({ name, start }) => {
  it('in the middle of a run, it completes within its deadlines with one warning, and is stored whole afterwards', async (context) => {
    const store = await start();
    if (!store) return context.skip(`${name}: there is no server`);
    const { open } = begin(store, context);
    const checkpointer = open();
    const fragile = tool('fragile', async (_args, { variables }) => {
      await store.breakIt();
      variables.set('broken', true);
      return 'broken';
    });
    const turns = [calls('fragile', {}), calls('steady', {}), says('Done.'), says('Still here.')];
    const tools = [fragile, tool('steady', () => 'steady')];
    const process = startProcess(checkpointer, turns, tools, deadlines);
    const agent = process.agent('t');

    const begun = performance.now();
    expect(await agent.run('Go')).toMatchObject({ answer: 'Done.', durable: false });
    expect(performance.now() - begun).toBeLessThan(longestMs + 2_000);
    expect(await agent.run('And now?')).toMatchObject({ answer: 'Still here.', durable: false });
    expect(process.warnings).toHaveLength(1);
    expect(agent.status()).toMatchObject({ durable: false, volatile: true });

    await store.mend();
    expect(await process.close({ deadlineMs: 30_000 })).toEqual({ unsaved: [] });
    expect(process.warnings).toHaveLength(1);
    const reader = open();
    expect(await history(reader, 't')).toEqual([
      'system: Be helpful.',
      'user: Go',
      'assistant: null',
      'tool: broken',
      'assistant: null',
      'tool: steady',
      'assistant: Done.',
      'user: And now?',
      'assistant: Still here.',
    ]);
    const steps = await createThreads(reader).steps('t');
    expect(steps.map(({ step }) => step)).toEqual(
      name.includes('empty') ? steps.map(({ step }) => step) : [1, 2, 3, 4, 5, 6],
    );
    expect((await createThreads(reader).get('t'))?.variables).toEqual({ broken: true });
  }, 60_000);
});

/** Where reads still work, a load does not fail. */
const unreadable = outages.filter(({ reads }) => !reads);

describe.each(unreadable)('when $name', { concurrent: true }, ({ name, start }) => {
  it('before the load, what is stored is never overwritten', async (context) => {
    const store = await start();
    if (!store) return context.skip(`${name}: there is no server`);
    const { open } = begin(store, context);
    const checkpointer = open();
    const survives = !name.includes('empty');
    await startProcess(checkpointer, [says('One.')])
      .agent('t')
      .run('First');
    await store.breakIt();
    const process = startProcess(checkpointer, [says('From scratch.')], [], deadlines);
    expect(await process.agent('t').run('Second')).toMatchObject({ answer: 'From scratch.', durable: false });
    await store.mend();
    await process.close({ deadlineMs: 30_000 });
    const stored = ['system: Be helpful.', 'user: First', 'assistant: One.'];
    const fresh = ['system: Be helpful.', 'user: Second', 'assistant: From scratch.'];
    expect(await history(checkpointer, 't')).toEqual(survives ? stored : fresh);
    expect(process.events.some(({ type }) => type === 'diverged')).toBe(survives);
  }, 60_000);

  it('before the load, a new thread is stored whole afterwards', async (context) => {
    const store = await start();
    if (!store) return context.skip(`${name}: there is no server`);
    const { open } = begin(store, context);
    const checkpointer = open();
    await store.breakIt();
    const process = startProcess(checkpointer, [says('Hello.')], [], deadlines);
    expect(await process.agent('t').run('Hi')).toMatchObject({ durable: false });
    await store.mend();
    expect(await process.close({ deadlineMs: 30_000 })).toEqual({ unsaved: [] });
    expect(await history(checkpointer, 't')).toEqual(['system: Be helpful.', 'user: Hi', 'assistant: Hello.']);
  }, 60_000);
});
