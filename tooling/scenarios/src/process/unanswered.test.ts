import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Checkpointer } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { type RedisServer, startProxy } from '@agent-state/services';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { open, ownRedis } from '../redis/support.ts';
import { folder } from './grounds.ts';
import { goOn } from './round.ts';
import { type Victims, victimsOn } from './victims.ts';

type Matches = (request: Buffer) => boolean;

/** Starts a process that is killed at its `nth` request for its thread; whether it came so far. */
async function killAtRequest(
  victims: Victims,
  threadId: string,
  nth: number,
  killed: (isThatOne: Matches) => Promise<unknown>,
): Promise<boolean> {
  let requests = 0;
  const isThatOne: Matches = (request) => {
    if (request.includes(threadId)) requests += 1;
    return requests === nth && request.includes(threadId);
  };
  const reached = killed(isThatOne);
  const ledger = join(folder, threadId);
  const victim = await victims.start({ scenario: 'once', threadId, ledger, begin: 'play' });
  const end = await Promise.race([victim.end, reached.then(() => undefined)]);
  if (end) return false;
  victim.signal('SIGKILL');
  return (await victim.end).killed;
}

/** Kills at every request in turn; how many there were. */
async function killAtEach(
  victims: Victims,
  store: Checkpointer,
  provoke: (isThatOne: Matches) => Promise<unknown>,
  mend: () => void = () => {},
): Promise<number> {
  for (let nth = 1; ; nth += 1) {
    const threadId = randomUUID();
    const killed = await killAtRequest(victims, threadId, nth, provoke);
    mend();
    await goOn(store, { scenario: 'once', threadId, by: nth % 2 === 0 ? 'play' : 'resume' }, `request ${nth}`);
    if (!killed) return nth - 1;
  }
}

/** A load, and the writes W0, W1, W2, W4 and of the answer. */
const atLeast = 6;
const redis = await ownRedis();
const mongoUrl = inject('mongoUrl');

describe('a process that is killed when a request of its was forwarded and not answered: another goes on from either state', () => {
  it.skipIf(!redis)('[A2] on Redis, which has done what was asked', { timeout: 60_000 }, async () => {
    const server = redis as RedisServer;
    const proxy = await startProxy(server.port);
    onTestFinished(() => proxy.stop());
    const victims = victimsOn('redis', `redis://127.0.0.1:${proxy.port}`, 1);
    const unanswered = (isThatOne: Matches) => proxy.replaceReply('', isThatOne).fired;
    expect(await killAtEach(victims, open(server), unanswered)).toBeGreaterThanOrEqual(atLeast);
  });

  it.skipIf(!redis)(
    '[A2] on Redis, which does it while the next process is at work already',
    { timeout: 60_000 },
    async () => {
      const server = redis as RedisServer;
      const proxy = await startProxy(server.port);
      onTestFinished(() => proxy.stop());
      const victims = victimsOn('redis', `redis://127.0.0.1:${proxy.port}`);
      const frozen = (isThatOne: Matches) =>
        new Promise((resolve) => {
          proxy.passNext((request) => {
            if (!isThatOne(request)) return false;
            server.freeze();
            // By then it has been forwarded.
            setImmediate(resolve);
            return true;
          });
        });
      expect(await killAtEach(victims, open(server), frozen, () => server.thaw())).toBeGreaterThanOrEqual(atLeast);
    },
  );

  it.skipIf(mongoUrl === undefined)('[A2] on MongoDB, which has done what was asked', { timeout: 60_000 }, async () => {
    const url = new URL(String(mongoUrl));
    const proxy = await startProxy(Number(url.port));
    onTestFinished(() => proxy.stop());
    const store = createMongoCheckpointer({ url: url.href });
    onTestFinished(() => store.close());
    const victims = victimsOn('mongo', `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`, 1);
    const unanswered = (isThatOne: Matches) => proxy.replaceReply('', isThatOne).fired;
    expect(await killAtEach(victims, store, unanswered)).toBeGreaterThanOrEqual(atLeast);
  });
});
