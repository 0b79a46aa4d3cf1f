import { step, user } from '@agent-state/conformance/fixtures';
import { type Position, systemRuntime } from '@agent-state/core';
import { isMissing, startMongo } from '@agent-state/services';
import { afterAll, describe, expect, test } from 'vitest';
import { createStage } from '../test/stage.ts';
import { append, appendAll, state, texts } from '../test/support.ts';
import { threadOfTest } from '../test/thread.ts';
import { chunkId } from './layout.ts';

const mongo = await startMongo({ args: ['--setParameter', 'ttlMonitorSleepSecs=1'] });
if (isMissing(mongo)) test.skip(`late seals (${mongo.missing})`);
else {
  const server = mongo;
  const stage = createStage(server);
  const { chunks, historyOf, chunksOf, strayChunksOf } = stage;
  const attempt = 'attempt';
  const store = stage.open('a', { runtime: { ...systemRuntime, id: () => attempt } });
  const other = stage.open('b');
  const thread = threadOfTest();
  afterAll(async () => {
    await stage.close();
    await mongo.stop();
  });

  const point = 'hangWhileBuildingDocumentSourceMergeBatch';
  /** How often the server has held somebody at it. */
  const setPoint = async (mode: 'alwaysOn' | 'off') =>
    Number((await server.command({ configureFailPoint: point, mode })).count);

  const letGo = async () => void (await setPoint('off'));

  type Outcome = PromiseSettledResult<Position>;
  /** A's save of the fifth message, held in the server's merge: it has read what it seals, and has written nothing. */
  async function heldSeal(base: Position): Promise<{ readonly saving: Promise<Outcome> }> {
    const times = (await setPoint('alwaysOn')) + 1;
    const write = { state: state(texts(5)), base, appendedFrom: 4, variablesChanged: false, steps: [step(5)] };
    const saving = Promise.allSettled([store.save(thread.id, { ...write, writeId: 'late' })]).then(([only]) => only);
    await server.command({ waitForFailPoint: point, timesEntered: times, maxTimeMS: 10_000 });
    return { saving };
  }

  async function whileSealing(base: Position, between: () => Promise<unknown>): Promise<Outcome> {
    const { saving } = await heldSeal(base);
    try {
      await between();
    } finally {
      await letGo();
    }
    return saving;
  }

  /** Others seal meanwhile: once A has read, a transaction that holds the ids of A's chunks is what keeps A waiting. */
  async function whileOnlyASeals(base: Position, between: () => Promise<unknown>): Promise<Outcome> {
    const ids = ['m', 's'].map((kind) => chunkId(thread.id, `late/${attempt.slice(0, 6)}/${kind}`));
    const { saving } = await heldSeal(base);
    await stage.client.withSession(async (session) => {
      session.startTransaction();
      const placeholders = ids.map((_id) => ({ _id }));
      await chunks.insertMany(placeholders, { session });
      await letGo();
      await between();
      expect(await chunks.countDocuments({ _id: { $in: ids } })).toBe(0);
      await session.abortTransaction();
    });
    return saving;
  }

  /** Whoever comes next takes the thread as it is, and goes on with it. */
  async function goOn(contents: readonly string[]): Promise<void> {
    const found = await other.load(thread.id);
    if (!found.found) return expect.fail('the thread is gone');
    let history = found.state.history;
    let base: Position = found;
    for (const content of contents) {
      history = [...history, user(content)];
      base = await append(other, thread.id, base, history);
    }
  }

  const conflict = { status: 'rejected', reason: { code: 'conflict' } };

  test('[C15] a seal that lands after another process took over, sealed and saved loses nothing acknowledged, and its chunk is removed', async () => {
    const base = await appendAll(store, thread.id, texts(4));
    const byB = ['one', 'two', 'three', 'four', 'five'];
    expect(await whileOnlyASeals(base, () => goOn(byB))).toMatchObject(conflict);
    expect(await historyOf(thread.id, store)).toEqual([...texts(4), ...byB.map((text) => user(text))]);
    expect(await strayChunksOf(thread.id)).toEqual([]);
  });

  test('[C15] a seal that lands after another process rewrote the thread is refused, and its chunk is removed', async () => {
    const base = await appendAll(store, thread.id, texts(4));
    const outcome = await whileSealing(base, async () => {
      const taken = await other.save(thread.id, { state: state([...texts(4), user('by b')]), base });
      await append(other, thread.id, taken, [...texts(4), user('by b'), user('more')]);
    });
    expect(outcome).toMatchObject(conflict);
    expect(await historyOf(thread.id, store)).toEqual([...texts(4), user('by b'), user('more')]);
    expect(await strayChunksOf(thread.id)).toEqual([]);
  });

  describe('[C17] a seal held over a delete', () => {
    const deleteMeanwhile = async () =>
      whileSealing(await appendAll(store, thread.id, texts(4)), () => other.delete(thread.id));

    /** The sealer's process dies, as far as the store can tell, when its chunk is there. */
    async function leaveChunk(): Promise<void> {
      const outcome = await whileSealing(await appendAll(store, thread.id, texts(4)), async () => {
        await other.delete(thread.id);
        await server.failCommand({ failCommands: ['update'], closeConnection: true, appName: 'a' });
      });
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', applied: 'no' } });
      expect((await chunksOf(thread.id)).map(({ items }) => items?.length)).toEqual([4]);
      expect(await other.load(thread.id)).toMatchObject({ found: false, tombstone: expect.any(String) });
    }

    test('is refused, and its chunk is removed', async () => {
      expect(await deleteMeanwhile()).toMatchObject({ status: 'rejected', reason: { code: 'deleted' } });
      expect(await other.load(thread.id)).toMatchObject({ found: false });
      expect(await chunksOf(thread.id)).toEqual([]);
    });

    test('leaves a chunk that no load sees where its process dies, and that the next delete removes', async () => {
      await leaveChunk();
      await other.delete(thread.id);
      expect(await chunksOf(thread.id)).toEqual([]);
    });

    test('leaves a chunk that expires by itself within ten minutes', async () => {
      await leaveChunk();
      for (const { expires_at } of await chunksOf(thread.id))
        expect(Math.abs(expires_at.getTime() - Date.now() - 600_000)).toBeLessThan(10_000);
      const earlier = { $set: { expires_at: { $subtract: ['$expires_at', 611_000] } } };
      await chunks.updateMany({ thread: thread.id }, [earlier]);
      await expect.poll(() => chunksOf(thread.id), { timeout: 10_000 }).toEqual([]);
    });

    test('and a new life leaves the new life alone', async () => {
      const base = await appendAll(store, thread.id, texts(4));
      await whileSealing(base, async () => {
        await other.delete(thread.id);
        const again = await other.load(thread.id);
        if (again.found) return expect.fail('not deleted');
        await other.save(thread.id, { state: state(texts(20)), base: again });
      });
      expect(await historyOf(thread.id)).toEqual(texts(20));
      await other.delete(thread.id);
      expect(await chunksOf(thread.id)).toEqual([]);
    });
  });

  test('of two that seal at once one wins, its chunks are named, those of the other are gone', async () => {
    const [first, second] = [stage.open('first'), stage.open('second')];
    for (let round = 0; round < 10; round += 1) {
      thread.id = `race ${round}`;
      const base = await appendAll(first, thread.id, texts(4));
      const outcomes = await Promise.allSettled(
        [first, second].map((writer) => append(writer, thread.id, base, texts(5))),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await historyOf(thread.id)).toEqual(texts(5));
      expect(await strayChunksOf(thread.id)).toEqual([]);
    }
  });
}
