import { step } from '@agent-state/conformance/fixtures';
import { type Checkpointer, type Position, systemRuntime, type TimeToLive } from '@agent-state/core';
import { isMissing, startMongo } from '@agent-state/services';
import { afterAll, describe, expect, test } from 'vitest';
import { absent, append, collectionsOf, freshDatabase, rawClient, state, texts } from '../test/support.ts';
import { threadOfTest } from '../test/thread.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

const minute: TimeToLive = { ttlMs: 60_000, pausedTtlMs: null };
const hour: TimeToLive = { ttlMs: 3_600_000, pausedTtlMs: null };
const forEver: TimeToLive = { ttlMs: null, pausedTtlMs: null };

const mongo = await startMongo({ args: ['--setParameter', 'ttlMonitorSleepSecs=1'] });
if (isMissing(mongo)) test.skip(`expiry (${mongo.missing})`);
else {
  const database = freshDatabase();
  const client = rawClient(mongo.url);
  const { threads, chunks } = collectionsOf(client, database);
  const options = { url: `${mongo.url}&appName=tested`, database, tail: { messages: 4 } };
  const store = createMongoCheckpointer(options);
  const monitor = (ttlMonitorEnabled: boolean) => mongo.command({ setParameter: 1, ttlMonitorEnabled });
  await monitor(false);
  const thread = threadOfTest();
  afterAll(async () => {
    await Promise.all([store.close(), client.close()]);
    await mongo.stop();
  });

  /** Ten messages with two chunks of each kind, saved one by one. */
  async function grow(ttl: TimeToLive, by: Checkpointer = store): Promise<Position> {
    const history = texts(10);
    let base = await by.save(thread.id, { state: state(history.slice(0, 1)), base: absent, ttl, steps: [step(0)] });
    for (let length = 2; length <= 10; length += 1) base = await append(by, thread.id, base, history.slice(0, length));
    return base;
  }
  const chunkDates = async () => {
    const documents = await chunks.find({ thread: thread.id }).toArray();
    return documents.map(({ expires_at }) => expires_at as Date | undefined);
  };
  const threadDate = async () => (await threads.findOne({ _id: thread.id }))?.expires_at as Date | undefined;
  const leftOf = (date: Date | undefined) => (date ? date.getTime() - Date.now() : Number.NaN);
  /** What the server's clock will do, without waiting for it. */
  const expireNow = () => threads.updateOne({ _id: thread.id }, { $set: { expires_at: new Date(Date.now() - 1_000) } });

  describe('a thread with a time to live', () => {
    test('[S-TTL-05] has a date that the server acts on, and its chunks one a quarter later', async () => {
      await grow(minute);
      expect(leftOf(await threadDate())).toBeGreaterThan(58_000);
      expect(leftOf(await threadDate())).toBeLessThanOrEqual(60_100);
      const dates = await chunkDates();
      expect(dates).toHaveLength(4);
      for (const date of dates) expect(leftOf(date)).toBeGreaterThan(70_000);
      for (const collection of [threads, chunks]) {
        const indexes = await collection.indexes();
        expect(indexes).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
      }
    });

    test('is removed with its chunks by the server', async () => {
      await grow({ ttlMs: 1_500, pausedTtlMs: null });
      await monitor(true);
      await expect.poll(() => threads.countDocuments({ _id: thread.id }), { timeout: 10_000 }).toBe(0);
      await expect.poll(chunkDates, { timeout: 10_000 }).toEqual([]);
      await monitor(false);
    });

    test('is kept by the clock of the server, not by that of this machine', async () => {
      for (const skew of [3_600_000, -3_600_000]) {
        thread.id = `skew ${skew}`;
        const runtime = { ...systemRuntime, now: () => Date.now() + skew };
        const skewed = createMongoCheckpointer({ ...options, runtime });
        await grow(minute, skewed);
        expect(Math.abs(leftOf(await threadDate()) - 60_000)).toBeLessThan(3_000);
        expect((await skewed.load(thread.id)).found).toBe(true);
        await skewed.close();
      }
    });

    test('that got a longer one has its chunks moved before the save that needs it', async () => {
      const base = await grow(minute);
      await store.save(thread.id, { state: state(texts(10)), base, appendedFrom: 10, ttl: hour });
      for (const date of await chunkDates()) expect(leftOf(date)).toBeGreaterThan(4_400_000);
    });

    test('keeps its chunks where the process dies between moving them and the save', async () => {
      const base = await grow(minute);
      await mongo.failCommand({ failCommands: ['update'], closeConnection: true, appName: 'tested' }, { skip: 1 });
      const saving = store.save(thread.id, { state: state(texts(10)), base, appendedFrom: 10, ttl: hour });
      await expect(saving).rejects.toMatchObject({ code: 'unavailable' });
      await mongo.failPoint('failCommand', 'off');
      expect(leftOf(await threadDate())).toBeLessThanOrEqual(60_100);
      for (const date of await chunkDates()) expect(leftOf(date)).toBeGreaterThan(60_000);
      const loaded = await store.load(thread.id);
      expect(loaded.found && loaded.state.history).toEqual(texts(10));
    });
  });

  describe('a thread that', () => {
    test('begins to expire has chunks that all expire', async () => {
      const base = await grow(forEver);
      expect(await chunkDates()).toEqual([undefined, undefined, undefined, undefined]);
      await append(store, thread.id, { ...base, ttl: minute }, texts(11));
      const dates = await chunkDates();
      expect(dates).toHaveLength(4);
      for (const date of dates) expect(leftOf(date)).toBeGreaterThan(70_000);
      const loaded = await store.load(thread.id);
      expect(loaded.found && loaded.state.history).toEqual(texts(11));
      expect(await store.steps(thread.id)).toHaveLength(11);
    });

    test('ceases to expire has chunks that never do', async () => {
      const base = await grow(minute);
      const next = await append(store, thread.id, { ...base, ttl: forEver }, texts(11));
      await append(store, thread.id, next, texts(14));
      expect(await threadDate()).toBeUndefined();
      expect(new Set(await chunkDates())).toEqual(new Set([undefined]));
      const loaded = await store.load(thread.id);
      expect(loaded.found && loaded.state.history).toEqual(texts(14));
    });

    test('fails to begin to expire keeps its chunks for ever', async () => {
      const base = await grow(forEver);
      const named = (await threads.findOne({ _id: thread.id }))?.chunks.map(({ id }: { id: string }) => id);
      await mongo.failCommand({ failCommands: ['update'], closeConnection: true, appName: 'tested' }, { skip: 1 });
      await expect(append(store, thread.id, { ...base, ttl: minute }, texts(11))).rejects.toMatchObject({
        code: 'unavailable',
      });
      await mongo.failPoint('failCommand', 'off');
      const kept = await chunks.find({ thread: thread.id, name: { $in: named } }).toArray();
      expect(kept).toHaveLength(2);
      for (const chunk of kept) expect(chunk).not.toHaveProperty('expires_at');
      await store.delete(thread.id);
      expect(await chunkDates()).toEqual([]);
    });
  });

  test('a chunk that nobody comes to name expires', async () => {
    const base = await store.save(thread.id, { state: state(texts(4)), base: absent });
    await mongo.failCommand({ failCommands: ['update'], closeConnection: true, appName: 'tested' });
    await expect(append(store, thread.id, base, texts(5))).rejects.toMatchObject({
      code: 'unavailable',
      applied: 'no',
    });
    const dates = await chunkDates();
    expect(dates).toHaveLength(1);
    expect(leftOf(dates[0])).toBeLessThanOrEqual(600_100);
  });

  describe('a thread that has expired and is still there', () => {
    test('[S-TTL-06] is absent for every call', async () => {
      const base = await grow(minute);
      await expireNow();
      // First of all the handle that knows the record and need not read it.
      await expect(append(store, thread.id, base, texts(11))).rejects.toMatchObject({
        code: 'conflict',
        current: null,
      });
      expect(await store.load(thread.id)).toEqual(absent);
      expect(await store.peek(thread.id)).toEqual(absent);
      expect(await store.steps(thread.id)).toEqual([]);
      expect((await store.list()).threads.map((thread) => thread.threadId)).not.toContain(thread.id);
      await expect(append(store, thread.id, base, texts(11))).rejects.toMatchObject({
        code: 'conflict',
        current: null,
      });
    });

    test('[C16] is absent and created afresh, and its old chunks are gone', async () => {
      await grow(minute);
      await expireNow();
      expect(await chunkDates()).toHaveLength(4);
      expect(await store.load(thread.id)).toEqual(absent);
      await store.save(thread.id, { state: state(texts(2)), base: absent });
      const loaded = await store.load(thread.id);
      expect(loaded.found && [loaded.state.history, loaded.revision]).toEqual([texts(2), 1]);
      expect(await chunkDates()).toEqual([]);
    });

    test('can be deleted', async () => {
      await grow(minute);
      await expireNow();
      await store.delete(thread.id);
      expect(await chunkDates()).toEqual([]);
      expect(await store.load(thread.id)).toMatchObject({ found: false, tombstone: expect.any(String) });
    });
  });

  test('a tombstone lasts seven days, holds nothing of the thread, and is absent afterwards', async () => {
    await grow(forEver);
    await store.delete(thread.id);
    const tombstone = await threads.findOne({ _id: thread.id });
    expect(Object.keys(tombstone ?? {})).toEqual(['_id', 'tombstone', 'expires_at']);
    expect(Math.abs(leftOf(await threadDate()) - 7 * 24 * 3_600_000)).toBeLessThan(5_000);
    await expireNow();
    expect(await store.load(thread.id)).toEqual(absent);
    await store.save(thread.id, { state: state(texts(1)), base: absent });
    expect((await store.load(thread.id)).found).toBe(true);
  });
}
