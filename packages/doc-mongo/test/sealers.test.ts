import { user } from '@agent-state/conformance/fixtures';
import { isMissing, startMongo } from '@agent-state/services';
import { afterAll, describe, expect, test } from 'vitest';
import { createAppenderStage, freshThread, messages, type Write, writesOfSeal } from './appenders.ts';
import { append, appendAll } from './support.ts';

const mongo = await startMongo({ args: ['--setParameter', 'ttlMonitorSleepSecs=1'] });
if (isMissing(mongo)) test.skip(`processes that seal (${mongo.missing})`);
else {
  const server = mongo;
  const stage = await createAppenderStage(server);
  const { chunks, historyOf, chunksOf, strayChunksOf } = stage;
  const other = stage.open('other');
  afterAll(async () => {
    await stage.close();
    await mongo.stop();
  });

  /** Four messages fill the tail, so the fifth, which a process of its own appends, is saved with a seal. */
  async function fullTail(): Promise<string> {
    const threadId = freshThread();
    await appendAll(other, threadId, messages(4));
    return threadId;
  }
  const startSealer = (threadId: string) => stage.startAppender(threadId, 5);

  /** Another process goes on with the thread, as it finds it, past where the tail has to be sealed. */
  async function goOn(threadId: string): Promise<void> {
    const found = await other.load(threadId);
    if (!found.found) return expect.fail('the thread is gone');
    const { history } = found.state;
    await append(other, threadId, found, [...history, user('by another')]);
    expect(await historyOf(threadId)).toEqual([...history, user('by another')]);
  }

  async function expectNothingAfterDelete(threadId: string): Promise<void> {
    await other.delete(threadId);
    expect(await historyOf(threadId)).toBeUndefined();
    expect(await chunksOf(threadId)).toEqual([]);
  }

  /** Their time is over, and the server removes those that have one. */
  async function expire(threadId: string): Promise<void> {
    const hasDate = { thread: threadId, expires_at: { $type: 'date' as const } };
    await chunks.updateMany(hasDate, { $set: { expires_at: new Date(0) } });
    await expect.poll(() => chunks.countDocuments(hasDate), { timeout: 10_000 }).toBe(0);
  }

  describe('[C19] a process that seals and is killed', () => {
    const deaths = writesOfSeal.flatMap((write) =>
      (['before it is done', 'when it is done'] as const).map((how) => ({ write, how })),
    );
    test.each(deaths)(
      'at $write, $how, has taken nothing with it and left nothing that hinders',
      async ({ write, how }) => {
        const threadId = await fullTail();
        const { child, stopAt } = startSealer(threadId);
        await stopAt(write, how);
        await child.kill();
        expect(child.lines).toEqual(['loaded']);
        const landed = write === 'saving the thread' && how === 'when it is done';
        expect(await historyOf(threadId)).toEqual(messages(landed ? 5 : 4));
        await goOn(threadId);
        await expectNothingAfterDelete(threadId);
      },
    );
  });

  test('[C19] a process that is killed while the server is at its merge has taken nothing with it', async () => {
    const point = 'hangWhileBuildingDocumentSourceMergeBatch';
    const threadId = await fullTail();
    const { count } = await server.command({ configureFailPoint: point, mode: 'alwaysOn' });
    const { child } = startSealer(threadId);
    await server.command({ waitForFailPoint: point, timesEntered: Number(count) + 1, maxTimeMS: 20_000 });
    const merging = async () =>
      (await server.command({ currentOp: 1, ns: `${stage.database}.agent_checkpoints` })).inprog.length;
    expect(await merging()).toBe(1);
    await child.kill();
    await server.command({ configureFailPoint: point, mode: 'off' });
    await expect.poll(merging, { timeout: 10_000 }).toBe(0);
    expect(await historyOf(threadId)).toEqual(messages(4));
    await goOn(threadId);
    await expectNothingAfterDelete(threadId);
  });

  describe('[C19] a process that seals and freezes', () => {
    const thawed = async (threadId: string, write: Write, meanwhile: () => Promise<unknown>) => {
      const { child, freezeAt } = startSealer(threadId);
      await freezeAt(write);
      await meanwhile();
      child.signal('SIGCONT');
      const outcome = await child.said('ended');
      await child.ended();
      return outcome;
    };

    test.each(writesOfSeal)(
      'at %s, past the expiry of what it made, makes it again where it has to, and is acknowledged',
      async (write) => {
        const threadId = await fullTail();
        expect(await thawed(threadId, write, () => expire(threadId))).toBe('ended done');
        expect(await historyOf(threadId)).toEqual(messages(5));
        expect(await strayChunksOf(threadId)).toEqual([]);
        await goOn(threadId);
        await expectNothingAfterDelete(threadId);
      },
    );

    test.each(writesOfSeal)(
      'at %s, while another process goes on, ends without a trace where it was not done',
      async (write) => {
        const threadId = await fullTail();
        const landed = write === 'saving the thread';
        const outcome = await thawed(threadId, write, async () => {
          await goOn(threadId);
          await expire(threadId);
        });
        expect(outcome).toBe(landed ? 'ended done' : 'ended conflict');
        expect(await historyOf(threadId)).toEqual([...messages(landed ? 5 : 4), user('by another')]);
        expect(await strayChunksOf(threadId)).toEqual([]);
        await expectNothingAfterDelete(threadId);
      },
    );
  });
}
