import type { Checkpointer } from '@agent-state/core';
import type { Document } from 'mongodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { absent, appendAll, mongoUrl, ownDatabase, rawClient, sharedUrl, state, texts } from '../test/support.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

const start = Date.UTC(2026, 0, 1);
/** What belongs to the session of a command, and not to what it asks. */
const around = new Set(['lsid', '$db', '$clusterTime', 'txnNumber', 'writeConcern']);

describe.skipIf(mongoUrl === undefined)('among many threads', () => {
  const { database, client, threads, chunks } = ownDatabase(rawClient(sharedUrl, { monitorCommands: true }));
  const commands: Document[] = [];
  client.on('commandStarted', ({ command }) => commands.push(command));
  const open = (namespace?: string) =>
    createMongoCheckpointer({ client, database, tail: { messages: 2 }, ...(namespace ? { namespace } : {}) });

  /** Copies of the document, with what differs between them. */
  async function copies(name: string, original: Document, count: number, change: (index: number) => Document) {
    const documents = Array.from({ length: count }, (_, index) => ({ ...original, ...change(index) }));
    await client.db(database).collection<Document>(name).insertMany(documents, { ordered: false });
  }

  /** What a call asks the server, as the server explains it. */
  async function explained(call: () => Promise<unknown>): Promise<Document[]> {
    commands.length = 0;
    await call();
    const asked = commands.map((command) =>
      Object.fromEntries(Object.entries(command).filter(([key]) => !around.has(key))),
    );
    return Promise.all(asked.map((explain) => client.db(database).command({ explain, verbosity: 'executionStats' })));
  }

  describe('a thread', () => {
    const store: Checkpointer = open();
    beforeAll(async () => {
      await appendAll(store, 'sought', texts(7));
      const [thread, chunk] = await Promise.all([threads.findOne({ _id: 'sought' }), chunks.findOne()]);
      const at = (index: number) => new Date(start + index * 1_000);
      await copies('agent_checkpoints', thread as Document, 20_000, (index) => ({
        _id: `thread ${index}`,
        updated: at(index),
        updated_at: at(index).toISOString(),
      }));
      await copies('agent_checkpoints.chunks', chunk as Document, 20_000, (index) => ({
        _id: `thread ${index}\nname`,
        thread: `thread ${index}`,
      }));
    });

    test.each<[string, () => Promise<unknown>]>([
      ['listed', () => store.list()],
      ['loaded, with what is sealed of it', () => store.load('sought')],
      ['looked for where there is none', () => store.load('never')],
      ['deleted', () => store.delete('sought')],
    ])('[S-PER-02] that is %s is found by an index, and hardly another is looked at', async (_, call) => {
      const explanations = await explained(call);
      expect(explanations).not.toEqual([]);
      for (const { queryPlanner, executionStats } of explanations) {
        expect(JSON.stringify(queryPlanner.winningPlan)).not.toMatch(/"(COLLSCAN|SORT)"/);
        expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(executionStats.nReturned + 1);
      }
    });
  });

  test('[S-PER-04] that have expired and are still there, 5,000 of them, a listing asks once for those that live', async () => {
    const store = open('expired');
    for (let index = 0; index < 10; index += 1)
      await store.save(`living ${index}`, { state: state(texts(1)), base: absent });
    const original = await client.db(database).collection<Document>('expired').findOne();
    const gone = { updated: new Date(), expires_at: new Date(start) };
    await copies('expired', original as Document, 5_000, (index) => ({ ...gone, _id: `expired ${index}` }));
    commands.length = 0;
    const { threads } = await store.list();
    expect(threads.map(({ threadId }) => threadId).filter((id) => id.startsWith('living'))).toHaveLength(10);
    expect(threads).toHaveLength(10);
    expect(commands).toHaveLength(1);
  });
});
