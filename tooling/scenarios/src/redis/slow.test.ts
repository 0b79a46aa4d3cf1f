import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { RedisServer } from '@agent-state/services';
import { afterEach, describe, expect, it } from 'vitest';
import { told } from '../agent.ts';
import { unhurried } from '../deadlines.ts';
import { overheard } from '../overheard.ts';
import { loaded, revisionsOf } from '../stored.ts';
import { expectQuiet, expectWhole, troubled } from '../troubled.ts';
import { comeBack, runInto } from '../volatile-run.ts';
import { holdWrites, open, ownRedis } from './support.ts';

const redis = await ownRedis();
const patient = { timeout: 10_000 };
/** What a save costs that is done once: each step has a revision of its own, after that of the claim. */
const oneSaveAStep = [2, 3, 4, 5, 6];

describe.skipIf(!redis)('a Redis that does not answer for a while', () => {
  const server = redis as RedisServer;
  afterEach(async () => {
    server.thaw();
    await server.command('CLIENT', 'UNPAUSE');
  });
  /** A store with the deadlines of who sets none, and the calls of it that failed. */
  function openUnhurried() {
    const failures: unknown[] = [];
    const store = open(server, { connectTimeoutMs: 2_000, commandTimeoutMs: 2_000 });
    return { failures, store: overheard(store, async (error) => failures.push(error)) };
  }

  /** Resolves when the server sleeps; `awake` when it has slept. */
  async function putToSleep(seconds: number): Promise<{ readonly awake: Promise<unknown> }> {
    const socket = createConnection(server.port, '127.0.0.1');
    await once(socket, 'connect');
    // It is served before what others send from now on only if it is known already.
    socket.write('PING\r\n');
    await once(socket, 'data');
    socket.write(`DEBUG SLEEP ${seconds}\r\n`);
    return { awake: once(socket, 'data').finally(() => socket.destroy()) };
  }
  const pauseWrites = () => server.command('CLIENT', 'PAUSE', '600000', 'WRITE');
  const resumeWrites = () => server.command('CLIENT', 'UNPAUSE');

  it('[B14] because it is frozen is an outage, and what it does late is done once', async () => {
    const outage = await runInto({
      open: () => open(server),
      breakIt: async () => server.freeze(),
      mend: async () => server.thaw(),
    });
    await comeBack(outage);
    expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
    const { revision } = await loaded(outage.open(), outage.threadId);
    expect(await revisionsOf(outage.open(), outage.threadId)).toContain(revision);
  });

  it('[B14] because it was frozen: a save that lands late is known again, and is no other process', async () => {
    const failures: unknown[] = [];
    const thawed = overheard(open(server), async (error) => {
      failures.push(error);
      server.thaw();
      const landed = async () => (await loaded(open(server), 'frozen')).revision;
      await expect.poll(landed, patient).toBe(3);
    });
    const process = troubled(thawed, { first: () => server.freeze() }, { storeCallMs: 5_000, storeBudgetMs: 10_000 });
    expect(await process.agent('frozen').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expect(failures).toMatchObject([{ code: 'unavailable', applied: 'maybe' }]);
    expectQuiet(process);
    await expectWhole(open(server), 'frozen');
    expect(await revisionsOf(open(server), 'frozen')).toEqual(oneSaveAStep);
  });

  it('[B15] but within the deadline is just slow', async () => {
    let isAsleep = false;
    const first = async () => {
      isAsleep = true;
      const { awake } = await putToSleep(0.7);
      void awake.then(() => {
        isAsleep = false;
      });
    };
    const wasAsleep: boolean[] = [];
    const second = () => void wasAsleep.push(isAsleep);
    const { store, failures } = openUnhurried();
    const process = troubled(store, { first, second }, unhurried);
    expect(await process.agent('slow').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    expect(wasAsleep).toEqual([false]);
    expect(failures).toEqual([]);
    expectQuiet(process);
    await expectWhole(open(server), 'slow');
    expect(await revisionsOf(open(server), 'slow')).toEqual(oneSaveAStep);
  });

  it('[B15] for longer than the deadlines is an outage, and what it does late is done once', async () => {
    let awake: Promise<unknown> = Promise.resolve();
    const outage = await runInto({
      open: () => open(server),
      async breakIt() {
        ({ awake } = await putToSleep(3));
      },
      mend: () => awake,
    });
    await comeBack(outage);
    expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
  });

  it('[B16] to writes, but within the deadline, is just slow', async () => {
    let released: Promise<unknown> = Promise.resolve();
    const first = async () => {
      ({ released } = await holdWrites(server));
    };
    const { store, failures } = openUnhurried();
    const process = troubled(store, { first }, unhurried);
    expect(await process.agent('paused').run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    await released;
    expect(failures).toEqual([]);
    expectQuiet(process);
    await expectWhole(open(server), 'paused');
    expect(await revisionsOf(open(server), 'paused')).toEqual(oneSaveAStep);
  });

  it('[B16] to writes for longer than the deadlines is an outage, and what it does late is done once', async () => {
    const outage = await runInto({ open: () => open(server), breakIt: pauseWrites, mend: resumeWrites });
    await comeBack(outage);
    expect(told(outage.process)).toEqual(['volatile', 'rejoined']);
  });
});
