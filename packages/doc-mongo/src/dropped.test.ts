import { isMissing, startMongo } from '@agent-state/services';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createStage } from '../test/stage.ts';
import { absent, append, appendAll, state, texts } from '../test/support.ts';

const mongo = await startMongo();
if (isMissing(mongo)) test.skip(`what is dropped under a checkpointer (${mongo.missing})`);
else {
  const stage = createStage(mongo);
  const { threads, chunks, historyOf, chunksOf, open } = stage;
  const store = open();
  let threadId = '';
  let count = 0;
  beforeEach(() => {
    count += 1;
    threadId = `thread ${count}`;
  });
  afterAll(async () => {
    await stage.close();
    await mongo.stop();
  });

  const indexesOf = async () => {
    const [ofThreads, ofChunks] = await Promise.all([threads.indexes(), chunks.indexes()]);
    return new Set([...ofThreads, ...ofChunks].map(({ name }) => name));
  };
  const allIndexes = new Set(['_id_', 'expiry', 'listing', 'listing_by_profile', 'by_thread']);

  describe('[C14] a checkpointer in use', () => {
    test('whose indexes are dropped works as before, and the next one makes them again', async () => {
      const base = await appendAll(store, threadId, texts(6));
      expect(await indexesOf()).toEqual(allIndexes);
      await Promise.all([threads.dropIndexes(), chunks.dropIndexes()]);
      await append(store, threadId, base, texts(7));
      expect(await historyOf(threadId)).toEqual(texts(7));
      expect(await store.steps(threadId)).toHaveLength(6);
      expect((await store.list()).threads.map((thread) => thread.threadId)).toContain(threadId);
      await store.delete(threadId);
      expect(await historyOf(threadId)).toBeUndefined();
      expect(await chunksOf(threadId)).toEqual([]);
      await open().load(threadId);
      expect(await indexesOf()).toEqual(allIndexes);
    });

    test('whose collections are dropped finds nothing, says so to a writer, and stores new threads', async () => {
      const base = await appendAll(store, threadId, texts(6));
      await Promise.all([threads.drop(), chunks.drop()]);
      await expect(append(store, threadId, base, texts(7))).rejects.toMatchObject({ code: 'conflict', current: null });
      expect(await store.load(threadId)).toEqual(absent);
      expect(await store.steps(threadId)).toEqual([]);
      expect(await store.list()).toMatchObject({ threads: [] });
      const again = await store.save(threadId, { state: state(texts(20)), base: absent });
      await append(store, threadId, again, texts(26));
      expect(await historyOf(threadId)).toEqual(texts(26));
      await store.delete(threadId);
      expect(await chunksOf(threadId)).toEqual([]);
    });

    test('whose database is dropped stores new threads', async () => {
      await appendAll(store, threadId, texts(6));
      await stage.client.db(stage.database).dropDatabase();
      await appendAll(store, threadId, texts(6));
      expect(await historyOf(threadId)).toEqual(texts(6));
    });
  });
}
