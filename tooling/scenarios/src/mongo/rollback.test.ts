import { randomUUID } from 'node:crypto';
import type { Checkpointer } from '@agent-state/core';
import type {} from '@agent-state/services/vitest';
import { type Document, MongoClient } from 'mongodb';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { calls, lines, says, startProcess, told, tool } from '../agent.ts';
import { unhurried } from '../deadlines.ts';
import { loaded } from '../stored.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { open } from './support.ts';

const url = inject('mongoUrl');

describe.skipIf(url === undefined)('a MongoDB that rolls back what it acknowledged', () => {
  const client = new MongoClient(String(url));
  const database = `rollback_${randomUUID()}`;
  afterAll(async () => {
    await client.db(database).dropDatabase();
    await client.close();
  });
  const threads = () => client.db(database).collection<Document & { _id: string }>('agent_checkpoints');
  const openStore = (options = {}): Checkpointer => open({ url: String(url) }, { database, ...options });

  /** Keeps a thread's document as it is, for the server to go back to. */
  function keeper(threadId: string) {
    let kept: Document | null = null;
    return {
      keep: async () => {
        kept = await threads().findOne({ _id: threadId });
      },
      goBack: async () => {
        await threads().replaceOne({ _id: threadId }, kept ?? expect.fail('nothing was kept'));
      },
    };
  }

  it.each([
    { which: 'an earlier write of the run', options: {} },
    { which: 'an earlier write of the run, before the history was sealed,', options: { tail: { messages: 2 } } },
  ])('[C12] to $which is sent again all that came after it, without a word to anybody else', async ({ options }) => {
    const threadId = randomUUID();
    const { keep, goBack } = keeper(threadId);
    const process = troubled(openStore(options), { first: keep, second: goBack });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process, ['rolled_back']);
    await expectWhole(openStore(), threadId);
  });

  it('[C12] past the claim of the run is sent the claim again, and all after it', async () => {
    const threadId = randomUUID();
    const { keep, goBack } = keeper(threadId);
    const undo = tool('undo', goBack);
    const turns = [says('Hello.'), calls('undo', {}), says('Undone.')];
    await startProcess(openStore(), turns, [undo]).agent(threadId).run('Hi');
    await keep();
    const process = startProcess(openStore(), turns, [undo], unhurried);
    expect(await process.agent(threadId).run('Again')).toMatchObject({ answer: 'Undone.', durable: true });
    expectQuiet(process, ['rolled_back']);
    const { state } = await loaded(openStore(), threadId);
    const before = ['system: Be helpful.', 'user: Hi', 'assistant: Hello.'];
    const after = ['user: Again', 'assistant: null', 'tool: null', 'assistant: Undone.'];
    expect(lines(state.history)).toEqual([...before, ...after]);
  });

  it('[C12] to a write of another process, which has taken the thread over, is left as it is', async () => {
    const threadId = randomUUID();
    const { keep, goBack } = keeper(threadId);
    const takeOver = async () => {
      const other = troubled(openStore(), { first: () => {}, second: keep });
      await other.agent(threadId).run('Mine now', { onBusy: 'takeOver' });
      await goBack();
    };
    const process = troubled(openStore(), { first: takeOver });
    await expect(process.agent(threadId).run('Go')).rejects.toMatchObject({ code: 'taken_over' });
    expect(told(process)).toEqual([]);
    const before = await threads().findOne({ _id: threadId });
    await goBack();
    expect(await threads().findOne({ _id: threadId })).toEqual(before);
  });
});
