import { randomUUID } from 'node:crypto';
import type { FailCommand, FailMode, MongoServer } from '@agent-state/services';
import { afterEach, describe, expect, it } from 'vitest';
import { lines, says, startProcess, told } from '../agent.ts';
import { unhurried } from '../deadlines.ts';
import { loaded } from '../stored.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { comeBack, runInto, surviveInOneSave } from '../volatile-run.ts';
import { open, ownMongo } from './support.ts';

const mongo = await ownMongo();
const writes = ['insert', 'update'];

describe.skipIf(!mongo)('a MongoDB that answers and refuses', () => {
  const server = mongo as MongoServer;
  const fail = (data: Partial<FailCommand>, mode?: FailMode) =>
    server.failCommand({ failCommands: writes, ...data }, mode);
  const mend = () => server.failPoint('failCommand', 'off');
  afterEach(mend);

  it.each([
    { which: '[C1] by closing the connection', closeConnection: true },
    { which: '[C3] that it is no longer primary', errorCode: 10107, errorLabels: ['RetryableWriteError'] },
    { which: '[C10] that it is shutting down', errorCode: 91 },
    { which: '[C10] that it was interrupted at shutdown', errorCode: 11600 },
  ])(
    '$which: refuses a write once, is asked again within the budget: nobody hears of it',
    async ({ which, ...refusal }) => {
      const threadId = randomUUID();
      await fail(refusal);
      const process = troubled(open(server), { first: () => fail(refusal), second: () => fail(refusal) });
      expect(await process.agent(threadId).run('Go'), which).toMatchObject({ answer: 'Done.', durable: true });
      expectQuiet(process);
      expect(await loaded(open(server), threadId)).toMatchObject({ revision: 6 });
      await expectWhole(open(server), threadId);
    },
  );

  it.each([91, 11600])(
    '[C10] a read that fails with %i is asked again within the budget, and is no new thread',
    async (errorCode) => {
      const threadId = randomUUID();
      const run = async (input: string, answer: string) => {
        const process = startProcess(open(server), [says(answer), says(answer)], [], unhurried);
        expect(await process.agent(threadId).run(input)).toMatchObject({ answer, durable: true });
        expectQuiet(process);
      };
      await run('First', 'One.');
      await fail({ failCommands: ['find'], errorCode });
      await run('Second', 'Two.');
      const { state } = await loaded(open(server), threadId);
      expect(lines(state.history)?.slice(1)).toEqual([
        'user: First',
        'assistant: One.',
        'user: Second',
        'assistant: Two.',
      ]);
    },
  );

  it('[C3] a primary that steps down for a second, in each of two tools, costs nothing but time', async () => {
    const threadId = randomUUID();
    const stepDown = () => server.command({ replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true });
    const process = troubled(open(server), { first: stepDown, second: stepDown });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process);
    await expectWhole(open(server), threadId);
  });

  it('[C3] that stays without a primary is an outage, and gets all of the run in one save afterwards', async () => {
    await surviveInOneSave({ open: () => open(server), breakIt: () => fail({ errorCode: 10107 }, 'alwaysOn'), mend });
  });

  it.each([64, 79, 100])(
    '[C5] a write concern error %i of every write is read back: each was done, and is done once',
    async (code) => {
      const threadId = randomUUID();
      await fail({ writeConcernError: { code, errmsg: 'waiting for replication timed out' } }, 'alwaysOn');
      const process = troubled(open(server), { first: () => {} });
      expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
      expectQuiet(process);
      expect(await loaded(open(server), threadId)).toMatchObject({ revision: 6 });
      await expectWhole(open(server), threadId);
    },
  );

  it('[C7] for want of disk space is warned of once, and gets all of the run in one save afterwards', async () => {
    await surviveInOneSave({ open: () => open(server), breakIt: () => fail({ errorCode: 14031 }, 'alwaysOn'), mend });
  });

  it('[C9] that is slow, below the deadline, is only slow', async () => {
    const threadId = randomUUID();
    await fail({ failCommands: [...writes, 'find'], blockConnection: true, blockTimeMS: 150 }, 'alwaysOn');
    const process = troubled(open(server), { first: () => {} });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process);
    await mend();
    expect(await loaded(open(server), threadId)).toMatchObject({ revision: 6 });
    await expectWhole(open(server), threadId);
  });

  it('[C9] a write that is slower than the deadline is read back and done once, whenever it lands', async () => {
    const threadId = randomUUID();
    const slow = () => fail({ blockConnection: true, blockTimeMS: 1_200 });
    const process = troubled(open(server), { first: slow, second: slow }, { storeCallMs: 700, storeBudgetMs: 4_000 });
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expectQuiet(process);
    expect(await loaded(open(server), threadId)).toMatchObject({ revision: 6 });
    await expectWhole(open(server), threadId);
  });

  it('[C9] that is slower than the deadline and stays so is an outage, and over when it is fast again', async () => {
    const breakIt = () => fail({ blockConnection: true, blockTimeMS: 1_200 }, 'alwaysOn');
    const outage = await runInto({ open: () => open(server), breakIt, mend });
    await comeBack(outage);
    expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
  });
});
