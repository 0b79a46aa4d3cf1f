import { noon, run } from '@agent-state/conformance/fixtures';
import { type Checkpointer, createThreads } from '@agent-state/core';
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

  describe('a thread that is due', () => {
    const store = open('sleeping');
    const inTheFuture = Buffer.from(JSON.stringify([Date.UTC(2099, 0), 'x'])).toString('base64url');
    beforeAll(async () => {
      const paused = run({ phase: 'paused', pause: { kind: 'request', wake_at: noon } });
      await store.save('original', { state: state(texts(1), { run: paused }), base: absent });
      const original = await client.db(database).collection<Document>('sleeping').findOne();
      const later = { ...paused, pause: { kind: 'request', wake_at: '2099-01-01T00:00:00.000Z' } };
      const runs = [later, { ...paused, pause: { kind: 'person' } }, run()];
      await copies('sleeping', original as Document, 20_000, (index) => ({
        _id: `thread ${index}`,
        updated: new Date(start + index * 1_000),
        // The latest, which the server comes across first when it tries the listing's index.
        run: index >= 19_800 ? paused : runs[index % 3],
      }));
    });

    test.each<[string, () => Promise<unknown>]>([
      ['by itself', () => createThreads(store).due(new Date(noon))],
      ['behind a page', () => store.query({ dueAt: noon, cursor: inTheFuture, limit: 1_000 })],
      ['of a profile', () => store.query({ dueAt: noon, agentProfile: 'support_bot', limit: 1_000 })],
      ['with a text', () => store.query({ dueAt: noon, text: 'x', limit: 1_000 })],
    ])('[S-PER-02] asked for %s is found by its own index, and no other is looked at', async (_, call) => {
      const explanations = await explained(call);
      expect(explanations).toHaveLength(1);
      const [{ stages }] = explanations as [Document];
      const { queryPlanner, executionStats } = stages[0].$cursor;
      expect(JSON.stringify(queryPlanner.winningPlan)).toMatch(/"indexName":"wake_time"/);
      expect(executionStats).toMatchObject({ nReturned: 201, totalDocsExamined: 201, totalKeysExamined: 201 });
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
