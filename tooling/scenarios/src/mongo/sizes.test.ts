import { randomUUID } from 'node:crypto';
import type { ScriptedTurn, Tool } from '@agent-state/core';
import type {} from '@agent-state/services/vitest';
import { BSON } from 'mongodb';
import { describe, expect, inject, it } from 'vitest';
import { calls, lines, says, startProcess, tool } from '../agent.ts';
import { unhurried } from '../deadlines.ts';
import { loaded } from '../stored.ts';
import { expectQuiet } from '../troubled.ts';
import { openGiven } from './support.ts';

const url = inject('mongoUrl');
const mega = 1_000_000;
const sizes = [17, 49];

describe.skipIf(url === undefined)('what is larger than a document of MongoDB', () => {
  /** A thread with a run on it, and the largest command that was sent since then. */
  async function begun() {
    const threadId = randomUUID();
    const { client, checkpointer } = openGiven(String(url));
    await startProcess(checkpointer, [says('Hello.')])
      .agent(threadId)
      .run('Hi');
    const before = await loaded(checkpointer, threadId);
    let largest = 0;
    client.on('commandStarted', ({ command }) => {
      largest = Math.max(largest, BSON.calculateObjectSize(command, { ignoreUndefined: true }));
    });
    return { threadId, checkpointer, before, largest: () => largest };
  }
  type Begun = Awaited<ReturnType<typeof begun>>;
  const start = ({ checkpointer }: Begun, turns: readonly ScriptedTurn[], tools: readonly Tool[] = []) =>
    startProcess(checkpointer, turns, tools, unhurried);

  /** It goes on from what was stored before. */
  async function expectIntact(thread: Begun, later: readonly string[]): Promise<void> {
    const process = start(thread, Array<ScriptedTurn>(9).fill(says('Still here.')));
    expect(await process.agent(thread.threadId).run('And now?')).toMatchObject({ durable: true });
    const { state } = await loaded(thread.checkpointer, thread.threadId);
    const begin = ['system: Be helpful.', 'user: Hi', 'assistant: Hello.'];
    expect(lines(state.history)).toEqual([...begin, ...later, 'user: And now?', 'assistant: Still here.']);
    expect(thread.largest()).toBeLessThan(mega);
  }

  it.each(sizes)(
    '[C8] an input of %i MB is refused before anything is sent, and the thread stays as it was',
    async (size) => {
      const thread = await begun();
      const process = start(thread, [says('Never said.')]);
      const running = process.agent(thread.threadId).run('x'.repeat(size * mega));
      await expect(running).rejects.toMatchObject({ code: 'too_large', limitBytes: 16 * mega });
      expectQuiet(process);
      expect(await loaded(thread.checkpointer, thread.threadId)).toEqual(thread.before);
      await expectIntact(thread, []);
    },
  );

  it.each(sizes)('[C8] an answer of %i MB fails the run cleanly, and what was stored before stays', async (size) => {
    const thread = await begun();
    const huge = says('x'.repeat(size * mega));
    const process = start(thread, [huge, huge]);
    const running = process.agent(thread.threadId).run('Say much');
    await expect(running).rejects.toMatchObject({ code: 'model' });
    expectQuiet(process);
    const { state } = await loaded(thread.checkpointer, thread.threadId);
    expect(state.run).toMatchObject({ phase: 'failed', owner: null });
    await expectIntact(thread, ['user: Say much']);
  });

  it.each(sizes)(
    '[C8] variables of %i MB that a tool sets are a failed result of that call, and the run goes on',
    async (size) => {
      const thread = await begun();
      const hoard = tool('hoard', (_args, { variables }) => variables.set('hoard', 'x'.repeat(size * mega)));
      const process = start(thread, [says('Hello.'), calls('hoard', {}), says('Too much.')], [hoard]);
      expect(await process.agent(thread.threadId).run('Hoard')).toMatchObject({ answer: 'Too much.', durable: true });
      expectQuiet(process);
      const { state } = await loaded(thread.checkpointer, thread.threadId);
      expect(state.variables).toEqual({});
      const said = lines(state.history)?.slice(3) ?? [];
      expect(said[2]).toMatch(/^tool: Error: /);
      await expectIntact(thread, said);
    },
  );

  it.each(sizes)(
    '[C8] a save with variables of %i MB is refused before anything is sent, and the older revision stays',
    async (size) => {
      const { threadId, checkpointer, before, largest } = await begun();
      const state = { ...before.state, variables: { hoard: 'x'.repeat(size * mega) } };
      for (const base of [{ base: before }, {}])
        await expect(checkpointer.save(threadId, { state, ...base })).rejects.toMatchObject({ code: 'too_large' });
      expect(largest()).toBeLessThan(mega);
      expect(await loaded(checkpointer, threadId)).toEqual(before);
    },
  );
});
