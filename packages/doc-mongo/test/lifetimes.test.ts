import { isMissing, startMongo } from '@agent-state/services';
import { afterAll, describe, expect, test } from 'vitest';
import { createAppenderStage, freshThread, messages } from './appenders.ts';
import { absent, append, state } from './support.ts';

const mongo = await startMongo({ args: ['--setParameter', 'ttlMonitorSleepSecs=1'] });
if (isMissing(mongo)) test.skip(`processes at threads that expire (${mongo.missing})`);
else {
  const stage = await createAppenderStage(mongo);
  const { threads, chunks, chunksOf, historyOf } = stage;
  const store = stage.open('first');
  afterAll(async () => {
    await stage.close();
    await mongo.stop();
  });
  const hour = { ttlMs: 3_600_000, pausedTtlMs: null };

  async function grown(count: number): Promise<string> {
    const threadId = freshThread();
    let base = await store.save(threadId, { state: state(messages(1)), base: absent, ttl: hour });
    for (let length = 2; length <= count; length += 1) base = await append(store, threadId, base, messages(length));
    return threadId;
  }

  /** What the server's clock does, at once: every date of the thread comes so much nearer. */
  async function pass(threadId: string, minutes: number): Promise<void> {
    const nearer = (field: string) => ({ $ifNull: [{ $subtract: [`$${field}`, minutes * 60_000] }, '$$REMOVE'] });
    await chunks.updateMany({ thread: threadId }, [{ $set: { expires_at: nearer('expires_at') } }]);
    const dates = { expires_at: nearer('expires_at'), 'tail.until': nearer('tail.until') };
    await threads.updateOne({ _id: threadId }, [{ $set: dates }]);
  }

  /** Until the thread's time has run out it is whole, and then it is gone, with its chunks. */
  async function expectToExpireWhole(threadId: string, count: number): Promise<void> {
    let left = await minutesLeft(threadId);
    expect(left).toBeGreaterThan(20);
    for (; left > 15; left -= 15) {
      expect(await historyOf(threadId)).toEqual(messages(count));
      expect(await store.steps(threadId)).toHaveLength(count - 1);
      await pass(threadId, 15);
    }
    await pass(threadId, 16);
    expect(await store.load(threadId)).toEqual(absent);
    await expect.poll(() => threads.countDocuments({ _id: threadId }), { timeout: 10_000 }).toBe(0);
    await pass(threadId, 40);
    await expect.poll(() => chunksOf(threadId), { timeout: 10_000 }).toEqual([]);
  }

  const minutesTo = (date: Date) => (date.getTime() - Date.now()) / 60_000;

  async function minutesLeft(threadId: string): Promise<number> {
    const document = await threads.findOne({ _id: threadId });
    return document ? minutesTo(document.expires_at) : Number.NaN;
  }

  describe('[C20] a process that gives the chunks of a thread more time, and then the thread', () => {
    /** The chunks' time is a quarter longer, so after a third of it the next save has to move them. */
    const due = async () => {
      const threadId = await grown(10);
      await pass(threadId, 20);
      return threadId;
    };

    test.each([
      { write: 'moving the chunks', how: 'before it is done', chunks: 55, thread: 40, count: 10 },
      { write: 'moving the chunks', how: 'when it is done', chunks: 75, thread: 40, count: 10 },
      { write: 'saving the thread', how: 'before it is done', chunks: 75, thread: 40, count: 10 },
      { write: 'saving the thread', how: 'when it is done', chunks: 75, thread: 60, count: 11 },
    ] as const)('and dies at $write, $how: both expire together', async ({ write, how, thread, count, ...left }) => {
      const threadId = await due();
      const { child, stopAt } = stage.startAppender(threadId, 11);
      await stopAt(write, how);
      await child.kill();
      expect(Math.abs((await minutesLeft(threadId)) - thread)).toBeLessThan(5);
      for (const { expires_at } of await chunksOf(threadId))
        expect(Math.abs(minutesTo(expires_at) - left.chunks)).toBeLessThan(5);
      await expectToExpireWhole(threadId, count);
    });
  });

  test('[C19] a process that freezes at each write of its seal past the end of the thread brings nothing of it back', async () => {
    for (const write of ['making the chunk', 'confirming the chunk'] as const) {
      const threadId = await grown(4);
      const { child, freezeAt } = stage.startAppender(threadId, 5);
      await freezeAt(write);
      await pass(threadId, 80);
      await expect.poll(() => threads.countDocuments({ _id: threadId }), { timeout: 10_000 }).toBe(0);
      await expect.poll(() => chunksOf(threadId), { timeout: 10_000 }).toEqual([]);
      child.signal('SIGCONT');
      expect(await child.said('ended')).toBe('ended conflict');
      await child.ended();
      expect(await store.load(threadId)).toEqual(absent);
      expect(await chunksOf(threadId)).toEqual([]);
    }
  });
}
