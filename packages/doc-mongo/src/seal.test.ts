import type { Position } from '@agent-state/core';
import { isMissing, startMongo } from '@agent-state/services';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import {
  absent,
  acting,
  append,
  appendAll,
  calling,
  collectionsOf,
  freshDatabase,
  idle,
  rawClient,
  result,
  state,
  step,
  texts,
  user,
} from '../test/support.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

const mongo = await startMongo();
if (isMissing(mongo)) test.skip(`sealing (${mongo.missing})`);
else {
  const database = freshDatabase();
  const client = rawClient(mongo.url);
  const { threads, chunks } = collectionsOf(client, database);
  const tail = { messages: 4, bytes: 100_000 };
  const open = (appName = 'a') => createMongoCheckpointer({ url: `${mongo.url}&appName=${appName}`, database, tail });
  const store = open();
  const other = open('b');
  let threadId = '';
  let count = 0;
  beforeEach(() => {
    count += 1;
    threadId = `thread ${count}`;
  });
  afterAll(async () => {
    await Promise.all([store.close(), other.close(), client.close()]);
    await mongo.stop();
  });
  const historyOf = async (reader = other) => {
    const loaded = await reader.load(threadId);
    return loaded.found && loaded.state.history;
  };
  const chunksOfThread = () => chunks.find({ thread: threadId }).sort({ _id: 1 }).toArray();
  /** Resolves once the server holds somebody at the fail point. */
  const reached = (name: string, timesEntered: number) =>
    mongo.command({ waitForFailPoint: name, timesEntered, maxTimeMS: 10_000 });
  const enter = async (name: string, mode: 'alwaysOn' | 'off') => mongo.command({ configureFailPoint: name, mode });

  describe('a tail past its bounds', () => {
    test('is sealed into a chunk that holds the write id of the save, and emptied', async () => {
      const history = texts(9);
      await appendAll(store, threadId, history);
      const document = await threads.findOne({ _id: threadId });
      expect(document?.history).toHaveLength(1);
      expect(document?.chunks).toHaveLength(2);
      const first = await chunks.findOne({ thread: threadId, kind: 'messages', from: 0 });
      expect(first).toMatchObject({ thread: threadId, from: 0, length: 4, items: { length: 4 } });
      expect(first).not.toHaveProperty('expires_at');
      expect(await historyOf()).toEqual(history);
    });

    test('is sealed when it has too many bytes, whatever its number of messages', async () => {
      await appendAll(store, threadId, texts(5, 30_000));
      const document = await threads.findOne({ _id: threadId });
      expect(document?.history).toHaveLength(2);
      expect(await historyOf()).toEqual(texts(5, 30_000));
    });

    test('a save larger than the bounds puts its messages into chunks, also as the first one', async () => {
      const history = texts(10);
      const base = await store.save(threadId, { state: state(history), base: absent });
      const longer = [...history, ...texts(7, 40_000)];
      await append(store, threadId, base, longer);
      expect((await threads.findOne({ _id: threadId }))?.history).toEqual([]);
      expect(await historyOf()).toEqual(longer);
    });

    test('step records are sealed as the messages are, and pages of them come in order', async () => {
      await appendAll(store, threadId, texts(14));
      const all = await other.steps(threadId);
      expect(all.map(({ history_length }) => history_length)).toEqual(
        Array.from({ length: 13 }, (_, index) => index + 2),
      );
      for (let from = 0; from < 14; from += 1) {
        for (const limit of [1, 3, 20])
          expect(await other.steps(threadId, { from, limit })).toEqual(all.slice(from, from + limit));
      }
    });

    test('many steps at once, as after an outage, are stored with one save', async () => {
      const steps = Array.from({ length: 30 }, (_, index) => step(index));
      await store.save(threadId, { state: state(texts(1)), base: absent, steps });
      expect(await other.steps(threadId, { from: 10, limit: 5 })).toMatchObject(steps.slice(10, 15));
    });

    test('results ahead of their turn are sealed with it, and found in their place', async () => {
      const names = Array.from({ length: 9 }, (_, index) => `tool${index}`);
      const history = [user('hi'), calling(...names)];
      const results = Object.fromEntries(names.map((name) => [name, result(name, name)]));
      let base = await store.save(threadId, {
        state: state(history, { run: acting(Object.fromEntries(names.map((name) => [name, undefined]))) }),
        base: absent,
      });
      const shown: string[] = [];
      for (const name of [...names].reverse()) {
        shown.push(name);
        const run = acting(
          Object.fromEntries(names.map((other) => [other, shown.includes(other) ? results[other] : undefined])),
        );
        base = await store.save(threadId, { state: state(history, { run }), base, appendedFrom: 2 });
        const loaded = await other.load(threadId);
        expect(loaded.found && loaded.state.run).toEqual(run);
      }
      const settled = [...history, ...names.map((name) => results[name] as never), user('next')];
      base = await store.save(threadId, { state: state(settled, { run: idle }), base, appendedFrom: 2 });
      expect(await historyOf()).toEqual(settled);
      await append(store, threadId, base, [...settled, ...texts(4)]);
      expect(await historyOf()).toEqual([...settled, ...texts(4)]);
    });

    test('a result in a chunk that was never used gives way to the message in its place', async () => {
      const history = [user('hi'), calling('a', 'b')];
      const run = acting({ a: undefined, b: result('b', 'never used') });
      let base = await store.save(threadId, { state: state(history, { run }), base: absent });
      base = await store.save(threadId, {
        state: state([...history, ...texts(6)], { run: idle }),
        base: { ...base, ahead: [] },
        appendedFrom: 2,
      });
      expect(await historyOf()).toEqual([...history, ...texts(6)]);
    });

    test('a handle that has not seen the thread seals as well', async () => {
      const base = await appendAll(store, threadId, texts(4));
      await append(open(), threadId, base, texts(5));
      expect(await historyOf()).toEqual(texts(5));
      expect(await chunksOfThread()).toHaveLength(1);
    });

    test('a rewrite drops the chunks of the messages and keeps those of the steps', async () => {
      const base = await appendAll(store, threadId, texts(10));
      const before = await other.steps(threadId);
      await store.save(threadId, { state: state([user('anew')]), base });
      expect(await historyOf()).toEqual([user('anew')]);
      expect(await other.steps(threadId)).toEqual(before);
      expect((await chunksOfThread()).map(({ kind }) => kind)).toEqual(['steps', 'steps']);
    });
  });

  describe('two writers', () => {
    /** A holds its seal at the server's merge while `between` happens; then it is let go. */
    async function whileSealing(
      base: Position,
      between: () => Promise<void>,
    ): Promise<PromiseSettledResult<Position>[]> {
      const point = 'hangWhileBuildingDocumentSourceMergeBatch';
      const { count: entered } = (await enter(point, 'alwaysOn')) as unknown as { count: number };
      const saving = Promise.allSettled([append(store, threadId, base, texts(5))]);
      await reached(point, entered + 1);
      await between();
      await enter(point, 'off');
      return saving;
    }

    test('a late seal loses no acknowledged message, and leaves no chunk', async () => {
      const base = await appendAll(store, threadId, texts(4));
      const [outcome] = await whileSealing(base, async () => {
        // B cannot seal while the fail point holds, so it rewrites, which needs no seal, and goes on.
        const taken = await other.save(threadId, { state: state([...texts(4), user('by b')]), base });
        await append(other, threadId, taken, [...texts(4), user('by b'), user('more')]);
      });
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
      expect(await historyOf(store)).toEqual([...texts(4), user('by b'), user('more')]);
      const document = await threads.findOne({ _id: threadId });
      const named = [...(document?.chunks ?? []), ...(document?.step_chunks ?? [])].map(({ id }) => id);
      expect((await chunksOfThread()).map(({ name }) => name)).toEqual(named);
    });

    test('a seal held over a delete leaves no chunk', async () => {
      const base = await appendAll(store, threadId, texts(4));
      const [outcome] = await whileSealing(base, () => other.delete(threadId));
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'deleted' } });
      expect(await other.load(threadId)).toMatchObject({ found: false });
      expect(await chunksOfThread()).toEqual([]);
    });

    test('what a late seal leaves behind a delete, when its process dies, is gone with the next delete', async () => {
      const base = await appendAll(store, threadId, texts(4));
      const [outcome] = await whileSealing(base, async () => {
        await other.delete(threadId);
        await mongo.failCommand({ failCommands: ['update'], closeConnection: true, appName: 'a' });
      });
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', applied: 'no' } });
      expect(await chunksOfThread()).toHaveLength(1);
      expect(await other.load(threadId)).toMatchObject({ found: false });
      await other.delete(threadId);
      expect(await chunksOfThread()).toEqual([]);
    });

    test('a seal held over a delete and a new life leaves the new life alone', async () => {
      const base = await appendAll(store, threadId, texts(4));
      await whileSealing(base, async () => {
        await other.delete(threadId);
        const again = await other.load(threadId);
        if (again.found) throw new Error('not deleted');
        await other.save(threadId, { state: state(texts(20)), base: again });
      });
      expect(await historyOf()).toEqual(texts(20));
      await other.delete(threadId);
      expect(await chunksOfThread()).toEqual([]);
    });

    test('both seal at once: one wins, its chunks are named, those of the other are gone', async () => {
      for (let round = 0; round < 10; round += 1) {
        threadId = `race ${round}`;
        const base = await appendAll(store, threadId, texts(4));
        const outcomes = await Promise.allSettled([
          append(store, threadId, base, texts(5)),
          append(other, threadId, base, texts(5)),
        ]);
        expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect(await historyOf()).toEqual(texts(5));
        expect(await chunksOfThread()).toHaveLength(1);
      }
    });
  });

  describe('a sealer that is slow, or dies', () => {
    test('a chunk that is gone before it is named is made again', async () => {
      const base = await appendAll(store, threadId, texts(4));
      await mongo.failCommand({ failCommands: ['update'], blockConnection: true, blockTimeMS: 700, appName: 'a' });
      const saving = append(store, threadId, base, texts(5));
      while ((await chunks.deleteMany({ thread: threadId })).deletedCount === 0);
      await saving;
      expect(await historyOf()).toEqual(texts(5));
      expect(await chunksOfThread()).toHaveLength(1);
    });

    test('what it leaves does not hinder the next save, and is gone after a delete', async () => {
      const base = await appendAll(store, threadId, texts(4));
      // Of its two updates the first confirms the chunk, the second is the save.
      await mongo.failCommand({ failCommands: ['update'], closeConnection: true, appName: 'a' }, { skip: 1 });
      await expect(append(store, threadId, base, texts(5))).rejects.toMatchObject({
        code: 'unavailable',
        applied: 'maybe',
      });
      await mongo.failPoint('failCommand', 'off');
      await append(other, threadId, base, texts(5));
      expect(await historyOf()).toEqual(texts(5));
      expect(await chunksOfThread()).toHaveLength(2);
      await other.delete(threadId);
      expect(await chunksOfThread()).toEqual([]);
    });

    test('a failure before the save itself says that it was not applied', async () => {
      const base = await appendAll(store, threadId, texts(4));
      await mongo.failCommand({ failCommands: ['aggregate'], closeConnection: true, appName: 'a' });
      await expect(append(store, threadId, base, texts(5))).rejects.toMatchObject({
        code: 'unavailable',
        applied: 'no',
      });
      expect(await historyOf()).toEqual(texts(4));
    });
  });

  test('a load whose chunks are dropped by a rewrite under it gives what the rewrite wrote', async () => {
    const base = await appendAll(store, threadId, texts(6));
    const slow = { failCommands: ['find'], blockConnection: true, blockTimeMS: 700, appName: 'a' };
    // The load's first find reads the record, the second its chunks.
    await mongo.failCommand(slow, { skip: 1 });
    const loading = store.load(threadId);
    await other.save(threadId, { state: state([user('anew')]), base });
    await expect.poll(async () => (await chunksOfThread()).map(({ kind }) => kind)).toEqual(['steps']);
    const loaded = await loading;
    await mongo.failPoint('failCommand', 'off');
    expect(loaded.found && loaded.state.history).toEqual([user('anew')]);
  });

  test('a chunk that vanished for good is corrupt, and never overwritten', async () => {
    await appendAll(store, threadId, texts(6));
    await chunks.deleteMany({ thread: threadId });
    await expect(store.load(threadId)).rejects.toMatchObject({ code: 'corrupt', threadId });
  });
}
