import { randomUUID } from 'node:crypto';
import { type Checkpointer, createThreads } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import { freePort, type RedisServer } from '@agent-state/services';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { calls, lines, says, startProcess, told, tool } from '../agent.ts';
import { deadlines, longestMs } from '../deadlines.ts';
import { ownMongo } from '../mongo/support.ts';
import { appending } from '../redis/rewind.ts';
import { open, ownRedis } from '../redis/support.ts';
import { loaded } from '../stored.ts';
import { opened } from '../stores.ts';

const turns = [says('One.'), says('Two.'), says('Three.')];
const callMs = 900;
/** What a machine that is busy may add. */
const marginMs = 1_500;

const nowhere = [
  {
    name: 'redis',
    at: (port: number) =>
      createRedisCheckpointer({ url: `redis://127.0.0.1:${port}`, connectTimeoutMs: callMs, commandTimeoutMs: callMs }),
  },
  {
    name: 'mongo',
    at: (port: number) =>
      createMongoCheckpointer({ url: `mongodb://127.0.0.1:${port}`, serverSelectionTimeoutMS: callMs }),
  },
];

/** How it ended, and that it did in time. */
async function inTime(call: () => Promise<unknown>): Promise<unknown> {
  const begun = performance.now();
  const outcome = await call().then(
    () => 'done',
    ({ code }: { code: string }) => code,
  );
  expect(performance.now() - begun).toBeLessThan(callMs + marginMs);
  return outcome;
}

describe.each(nowhere)('on $name, where no server is', ({ at }) => {
  it('[S-DEG-01] [S-DEG-05] the process goes on: every call ends in its time, a run and its thread are in memory, and it is told', async () => {
    const port = await freePort();
    const store = opened(() => at(port));
    const threads = createThreads(store);
    expect(await inTime(() => threads.get('t'))).toBe('unavailable');
    expect(await inTime(() => store.save('t', { state: { history: [] } }))).toBe('unavailable');
    const process = startProcess(store, turns, [], deadlines);
    const agent = process.agent('t');
    const begun = performance.now();
    expect(await agent.run('First')).toMatchObject({ answer: 'One.', durable: false });
    expect(performance.now() - begun).toBeLessThan(longestMs + marginMs);
    expect(await agent.run('Second')).toMatchObject({ answer: 'Two.', durable: false });
    expect(agent.status()).toMatchObject({ durable: false, volatile: true });
    expect([told(process), process.warnings.length]).toEqual([['volatile'], 1]);
    const { unsaved } = await process.close({ deadlineMs: 500 });
    expect(lines(unsaved[0]?.state.history)?.slice(1)).toEqual([
      'user: First',
      'assistant: One.',
      'user: Second',
      'assistant: Two.',
    ]);
  });
});

const redis = await ownRedis(...appending);
const mongo = await ownMongo();
const killable = [
  { name: 'redis', server: redis, at: nowhere[0]?.at, lists: 'unsupported' },
  { name: 'mongo', server: mongo, at: nowhere[1]?.at, lists: 'unavailable' },
];

describe.each(killable.filter(({ server }) => server))('on $name, a server that dies', ({ server, at, lists }) => {
  it('[S-DEG-02] [S-DEG-07] leaves no call waiting, and has the last state when it is back, for this process and a new one', async () => {
    const threadId = randomUUID();
    const openAnother = () => opened(() => (at as (port: number) => Checkpointer)(server?.port ?? 0));
    const store = openAnother();
    const base = await store.save(threadId, { state: { history: [] }, base: await store.peek(threadId) });
    const stop = tool('stop', () => server?.kill());
    const process = startProcess(
      store,
      [says('One.'), calls('stop', {}), says('Two.'), says('Three.')],
      [stop],
      deadlines,
    );
    const agent = process.agent(threadId);
    expect(await agent.run('v1')).toMatchObject({ durable: true });
    expect(await agent.run('v2')).toMatchObject({ answer: 'Two.', durable: false });
    const threads = createThreads(store);
    const outcomes = [
      await inTime(() => threads.get(threadId)),
      await inTime(() => threads.list()),
      await inTime(() => threads.delete(randomUUID())),
      await inTime(() => store.save(threadId, { state: { history: [] }, base })),
    ];
    expect(outcomes).toEqual(['unavailable', lists, 'unavailable', 'unavailable']);
    expect(await agent.run('v3')).toMatchObject({ answer: 'Three.', durable: false });
    await server?.start();
    await expect.poll(() => agent.status(), { timeout: 20_000 }).toMatchObject({ durable: true, volatile: false });
    for (const reader of [store, openAnother()]) {
      const { history } = (await loaded(reader, threadId)).state;
      expect(lines(history)?.filter((line) => line.startsWith('user'))).toEqual(['user: v1', 'user: v2', 'user: v3']);
      expect(lines(history)?.at(-1)).toBe('assistant: Three.');
    }
  }, 60_000);
});

describe.skipIf(!redis)('a Redis', () => {
  const server = redis as RedisServer;

  it('[S-DEG-04] that is down is not one that has no thread: what it has is not written over by who could not read it', async () => {
    const threadId = randomUUID();
    await startProcess(open(server), turns).agent(threadId).run('First');
    await server.kill();
    const blind = open(server);
    await expect(createThreads(blind).get(threadId)).rejects.toMatchObject({ code: 'unavailable' });
    const process = startProcess(blind, [says('Anew.')], [], deadlines);
    await expect(process.agent(threadId).resume()).rejects.toMatchObject({ code: 'unavailable' });
    expect(await process.agent(threadId).run('Second')).toMatchObject({ answer: 'Anew.', durable: false });
    await server.start();
    await process.close({ deadlineMs: 20_000 });
    // What it said in its own name; then, that the fork is stored.
    expect(told(process).slice(0, 2)).toEqual(['volatile', 'diverged']);
    expect(lines((await loaded(open(server), threadId)).state.history)?.slice(1)).toEqual([
      'user: First',
      'assistant: One.',
    ]);
    const { forkId } = process.events.find(({ type }) => type === 'diverged') as { forkId: string };
    expect(lines((await loaded(open(server), forkId)).state.history)?.slice(1)).toEqual([
      'user: Second',
      'assistant: Anew.',
    ]);
  });

  it('[S-DEG-03] [S-DEG-06] that is out of memory and refuses a save is told by the result, the event and the status alike', async () => {
    const threadId = randomUUID();
    const process = startProcess(open(server), turns, [], deadlines);
    const agent = process.agent(threadId);
    expect(await agent.run('First')).toMatchObject({ durable: true });
    const stored = await loaded(open(server), threadId);
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    onTestFinished(async () => void (await server.command('CONFIG', 'SET', 'maxmemory', '0')));
    expect(await agent.run('Second')).toMatchObject({ answer: 'Two.', durable: false });
    expect(process.events.filter(({ type }) => type === 'volatile')).toMatchObject([{ threadId, code: 'unavailable' }]);
    expect(process.warnings).toMatchObject([{ fields: { threadId, cause: expect.stringContaining('OOM') } }]);
    expect(agent.status()).toMatchObject({ durable: false, volatile: true });
    // What the next process would find.
    expect(await loaded(open(server), threadId)).toEqual(stored);
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    expect(await process.close({ deadlineMs: 20_000 })).toEqual({ unsaved: [] });
    expect(told(process)).toEqual(['volatile', 'rejoined']);
  });
});

describe.skipIf(!redis)('a Redis that wants a password', () => {
  const server = redis as RedisServer;
  const setPassword = async (password: string) => {
    const admin = new Redis(server.port, { password: 'right' });
    await admin.config('SET', 'requirepass', password);
    admin.disconnect();
  };
  afterEach(() => setPassword(''));

  it.each([
    ['none', ''],
    ['a wrong one', ':wrong@'],
  ])(
    '[S-DEG-08] and gets %s is told as `denied`, in time, with the reason, and not again and again',
    async (_, secret) => {
      await setPassword('right');
      const store = open({ url: `redis://${secret}127.0.0.1:${server.port}` });
      const process = startProcess(store, [() => expect.fail('the model was asked')], [], deadlines);
      const agent = process.agent(randomUUID());
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        expect(await inTime(() => agent.run('Go'))).toBe('denied');
      }
      await expect(agent.run('Go')).rejects.toThrow(/NOAUTH|WRONGPASS/);
      expect(agent.status()).toMatchObject({ volatile: false });
      expect([process.warnings, told(process)]).toEqual([[], []]);
    },
  );
});
