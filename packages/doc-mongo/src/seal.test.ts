import { calling, step, toolResult, user } from '@agent-state/conformance/fixtures';
import { isMissing, startMongo } from '@agent-state/services';
import { afterAll, describe, expect, test } from 'vitest';
import { createStage } from '../test/stage.ts';
import { absent, acting, append, appendAll, idle, state, texts } from '../test/support.ts';
import { threadOfTest } from '../test/thread.ts';

const mongo = await startMongo();
if (isMissing(mongo)) test.skip(`sealing (${mongo.missing})`);
else {
  const stage = createStage(mongo);
  const { threads, chunks, open } = stage;
  const store = open();
  const other = open('b');
  const thread = threadOfTest();
  afterAll(async () => {
    await stage.close();
    await mongo.stop();
  });
  const historyOf = () => stage.historyOf(thread.id);
  const chunksOfThread = () => stage.chunksOf(thread.id);

  describe('a tail past its bounds', () => {
    test('is sealed into a chunk that holds the write id of the save, and emptied', async () => {
      const history = texts(9);
      await appendAll(store, thread.id, history);
      const document = await threads.findOne({ _id: thread.id });
      expect(document?.history).toHaveLength(1);
      expect(document?.chunks).toHaveLength(2);
      const first = await chunks.findOne({ thread: thread.id, kind: 'messages', from: 0 });
      expect(first).toMatchObject({ thread: thread.id, from: 0, length: 4, items: { length: 4 } });
      expect(first).not.toHaveProperty('expires_at');
      expect(await historyOf()).toEqual(history);
    });

    test('is sealed when it has too many bytes, whatever its number of messages', async () => {
      await appendAll(store, thread.id, texts(5, 30_000));
      const document = await threads.findOne({ _id: thread.id });
      expect(document?.history).toHaveLength(2);
      expect(await historyOf()).toEqual(texts(5, 30_000));
    });

    test('a save larger than the bounds puts its messages into chunks, also as the first one', async () => {
      const history = texts(10);
      const base = await store.save(thread.id, { state: state(history), base: absent });
      const longer = [...history, ...texts(7, 40_000)];
      await append(store, thread.id, base, longer);
      expect((await threads.findOne({ _id: thread.id }))?.history).toEqual([]);
      expect(await historyOf()).toEqual(longer);
    });

    test('step records are sealed as the messages are, and pages of them come in order', async () => {
      await appendAll(store, thread.id, texts(14));
      const all = await other.steps(thread.id);
      expect(all.map(({ history_length }) => history_length)).toEqual(
        Array.from({ length: 13 }, (_, index) => index + 2),
      );
      for (let from = 0; from < 14; from += 1) {
        for (const limit of [1, 3, 20])
          expect(await other.steps(thread.id, { from, limit })).toEqual(all.slice(from, from + limit));
      }
    });

    test('many steps at once, as after an outage, are stored with one save', async () => {
      const steps = Array.from({ length: 30 }, (_, index) => step(index));
      await store.save(thread.id, { state: state(texts(1)), base: absent, steps });
      expect(await other.steps(thread.id, { from: 10, limit: 5 })).toMatchObject(steps.slice(10, 15));
    });

    test('results ahead of their turn are sealed with it, and found in their place', async () => {
      const names = Array.from({ length: 9 }, (_, index) => `tool${index}`);
      const history = [user('hi'), calling(...names)];
      const results = Object.fromEntries(names.map((name) => [name, toolResult(name, name)]));
      let base = await store.save(thread.id, {
        state: state(history, { run: acting(Object.fromEntries(names.map((name) => [name, undefined]))) }),
        base: absent,
      });
      const shown: string[] = [];
      for (const name of [...names].reverse()) {
        shown.push(name);
        const run = acting(
          Object.fromEntries(names.map((other) => [other, shown.includes(other) ? results[other] : undefined])),
        );
        base = await store.save(thread.id, { state: state(history, { run }), base, appendedFrom: 2 });
        const loaded = await other.load(thread.id);
        expect(loaded.found && loaded.state.run).toEqual(run);
      }
      const settled = [...history, ...names.map((name) => results[name] as never), user('next')];
      base = await store.save(thread.id, { state: state(settled, { run: idle }), base, appendedFrom: 2 });
      expect(await historyOf()).toEqual(settled);
      await append(store, thread.id, base, [...settled, ...texts(4)]);
      expect(await historyOf()).toEqual([...settled, ...texts(4)]);
    });

    test('a result in a chunk that was never used gives way to the message in its place', async () => {
      const history = [user('hi'), calling('a', 'b')];
      const run = acting({ a: undefined, b: toolResult('b', 'never used') });
      let base = await store.save(thread.id, { state: state(history, { run }), base: absent });
      base = await store.save(thread.id, {
        state: state([...history, ...texts(6)], { run: idle }),
        base: { ...base, ahead: [] },
        appendedFrom: 2,
      });
      expect(await historyOf()).toEqual([...history, ...texts(6)]);
    });

    test('a handle that has not seen the thread seals as well', async () => {
      const base = await appendAll(store, thread.id, texts(4));
      await append(open(), thread.id, base, texts(5));
      expect(await historyOf()).toEqual(texts(5));
      expect(await chunksOfThread()).toHaveLength(1);
    });

    test('a rewrite drops the chunks of the messages and keeps those of the steps', async () => {
      const base = await appendAll(store, thread.id, texts(10));
      const before = await other.steps(thread.id);
      await store.save(thread.id, { state: state([user('anew')]), base });
      expect(await historyOf()).toEqual([user('anew')]);
      expect(await other.steps(thread.id)).toEqual(before);
      expect((await chunksOfThread()).map(({ kind }) => kind)).toEqual(['steps', 'steps']);
    });
  });

  describe('a sealer that is slow, or dies', () => {
    test('a chunk that is gone before it is named is made again', async () => {
      const base = await appendAll(store, thread.id, texts(4));
      await mongo.failCommand({ failCommands: ['update'], blockConnection: true, blockTimeMS: 700, appName: 'a' });
      const saving = append(store, thread.id, base, texts(5));
      while ((await chunks.deleteMany({ thread: thread.id })).deletedCount === 0);
      await saving;
      expect(await historyOf()).toEqual(texts(5));
      expect(await chunksOfThread()).toHaveLength(1);
    });

    test('what it leaves does not hinder the next save, and is gone after a delete', async () => {
      const base = await appendAll(store, thread.id, texts(4));
      // Of its two updates the first confirms the chunk, the second is the save.
      await mongo.failCommand({ failCommands: ['update'], closeConnection: true, appName: 'a' }, { skip: 1 });
      await expect(append(store, thread.id, base, texts(5))).rejects.toMatchObject({
        code: 'unavailable',
        applied: 'maybe',
      });
      await mongo.failPoint('failCommand', 'off');
      await append(other, thread.id, base, texts(5));
      expect(await historyOf()).toEqual(texts(5));
      expect(await chunksOfThread()).toHaveLength(2);
      await other.delete(thread.id);
      expect(await chunksOfThread()).toEqual([]);
    });

    test('a failure before the save itself says that it was not applied', async () => {
      const base = await appendAll(store, thread.id, texts(4));
      await mongo.failCommand({ failCommands: ['aggregate'], closeConnection: true, appName: 'a' });
      await expect(append(store, thread.id, base, texts(5))).rejects.toMatchObject({
        code: 'unavailable',
        applied: 'no',
      });
      expect(await historyOf()).toEqual(texts(4));
    });
  });

  test('a load whose chunks are dropped by a rewrite under it gives what the rewrite wrote', async () => {
    const base = await appendAll(store, thread.id, texts(6));
    const slow = { failCommands: ['find'], blockConnection: true, blockTimeMS: 700, appName: 'a' };
    // The load's first find reads the record, the second its chunks.
    await mongo.failCommand(slow, { skip: 1 });
    const loading = store.load(thread.id);
    await other.save(thread.id, { state: state([user('anew')]), base });
    await expect.poll(async () => (await chunksOfThread()).map(({ kind }) => kind)).toEqual(['steps']);
    const loaded = await loading;
    await mongo.failPoint('failCommand', 'off');
    expect(loaded.found && loaded.state.history).toEqual([user('anew')]);
  });

  test('a chunk that vanished for good is corrupt, and never overwritten', async () => {
    await appendAll(store, thread.id, texts(6));
    await chunks.deleteMany({ thread: thread.id });
    await expect(store.load(thread.id)).rejects.toMatchObject({ code: 'corrupt', threadId: thread.id });
  });
}
