import { noon, run } from '@agent-state/conformance/fixtures';
import { createThreads } from '@agent-state/core';
import { isMissing, startMongo } from '@agent-state/services';
import { afterAll, describe, expect, test } from 'vitest';
import { createStage } from '../test/stage.ts';
import { absent, append, appendAll, state, texts } from '../test/support.ts';
import { threadOfTest } from '../test/thread.ts';

const mongo = await startMongo();
if (isMissing(mongo)) test.skip(`what is dropped under a checkpointer (${mongo.missing})`);
else {
  const stage = createStage(mongo);
  const { threads, chunks, historyOf, chunksOf, open } = stage;
  const store = open();
  const thread = threadOfTest();
  afterAll(async () => {
    await stage.close();
    await mongo.stop();
  });

  const indexesOf = async () => {
    const [ofThreads, ofChunks] = await Promise.all([threads.indexes(), chunks.indexes()]);
    return new Set([...ofThreads, ...ofChunks].map(({ name }) => name));
  };
  const allIndexes = new Set(['_id_', 'expiry', 'listing', 'listing_by_profile', 'wake_time', 'by_thread']);

  describe('[C14] a checkpointer in use', () => {
    test('whose indexes are dropped works as before, and the next one makes them again', async () => {
      const base = await appendAll(store, thread.id, texts(6));
      expect(await indexesOf()).toEqual(allIndexes);
      await Promise.all([threads.dropIndexes(), chunks.dropIndexes()]);
      await append(store, thread.id, base, texts(7));
      expect(await historyOf(thread.id)).toEqual(texts(7));
      expect(await store.steps(thread.id)).toHaveLength(6);
      const paused = run({ phase: 'paused', pause: { kind: 'request', wake_at: noon } });
      await store.save('due', { state: state([], { run: paused }) });
      expect(await createThreads(store).due(new Date(noon))).toEqual(['due']);
      expect((await store.list()).threads.map((thread) => thread.threadId)).toContain(thread.id);
      await store.delete(thread.id);
      expect(await historyOf(thread.id)).toBeUndefined();
      expect(await chunksOf(thread.id)).toEqual([]);
      await open().load(thread.id);
      expect(await indexesOf()).toEqual(allIndexes);
    });

    test('whose collections are dropped finds nothing, says so to a writer, and stores new threads', async () => {
      const base = await appendAll(store, thread.id, texts(6));
      await Promise.all([threads.drop(), chunks.drop()]);
      await expect(append(store, thread.id, base, texts(7))).rejects.toMatchObject({ code: 'conflict', current: null });
      expect(await store.load(thread.id)).toEqual(absent);
      expect(await store.steps(thread.id)).toEqual([]);
      expect(await store.list()).toMatchObject({ threads: [] });
      expect(await createThreads(store).due(new Date(noon))).toEqual([]);
      const again = await store.save(thread.id, { state: state(texts(20)), base: absent });
      await append(store, thread.id, again, texts(26));
      expect(await historyOf(thread.id)).toEqual(texts(26));
      await store.delete(thread.id);
      expect(await chunksOf(thread.id)).toEqual([]);
    });

    test('whose database is dropped stores new threads', async () => {
      await appendAll(store, thread.id, texts(6));
      await stage.client.db(stage.database).dropDatabase();
      await appendAll(store, thread.id, texts(6));
      expect(await historyOf(thread.id)).toEqual(texts(6));
    });
  });
}
