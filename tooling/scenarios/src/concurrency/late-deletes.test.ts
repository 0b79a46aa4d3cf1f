import { randomUUID } from 'node:crypto';
import type { Checkpointer } from '@agent-state/core';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import type { TcpProxy } from '@agent-state/services';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lines, says, startProcess, told } from '../agent.ts';
import { loaded } from '../stored.ts';
import { wiredRedis, wiredStores } from './wired.ts';

const turns = [says('One.'), says('Two.')];
const newLife = ['system: Be helpful.', 'user: A new life', 'assistant: One.'];

const run = (store: Checkpointer, threadId: string, input: string) =>
  startProcess(store, turns).agent(threadId).run(input);

/** Holds everything back from when the first question about the thread has been answered. */
async function stallAfterLook(wire: TcpProxy, threadId: string): Promise<void> {
  await wire.passNext((request) => request.includes(threadId)).fired;
  wire.stall();
}

/** A delete that has seen the thread as it is now, and goes no further until the wire passes. */
async function heldDelete(store: Checkpointer, wire: TcpProxy, threadId: string) {
  // What a client asks first, and scripts that the server does not know, are asked of another thread.
  await store.delete(randomUUID());
  const looked = stallAfterLook(wire, threadId);
  const deleting = outcomeOf(store.delete(threadId));
  await looked;
  return { ended: () => deleting };
}

const outcomeOf = (deleting: Promise<void>): Promise<string> =>
  deleting.then(
    () => 'deleted',
    ({ code, applied }: { code: string; applied: string }) => `${code}, applied: ${applied}`,
  );

/** It can be read, and goes on. */
async function expectWhole(store: Checkpointer, threadId: string): Promise<void> {
  const { state, revision } = await loaded(store, threadId);
  expect(lines(state.history)).toEqual(newLife);
  expect([state.run?.phase, revision]).toEqual(['done', 2]);
  expect(await run(store, threadId, 'More')).toMatchObject({ answer: 'Two.', durable: true });
  expect(lines((await loaded(store, threadId)).state.history)).toEqual([...newLife, 'user: More', 'assistant: Two.']);
}

describe.each(wiredStores)('on $name, the new life of a deleted thread', ({ open, openWired }) => {
  it('[E22] is whole after the second of two deletes at once, between which it began', async () => {
    const threadId = randomUUID();
    const direct = open();
    await run(direct, threadId, 'An old life');
    const { store, wire } = await openWired();
    const deleting = await heldDelete(store, wire, threadId);
    await direct.delete(threadId);
    await run(direct, threadId, 'A new life');
    await wire.pass();
    expect(await deleting.ended()).toBe('deleted');
    await expectWhole(direct, threadId);
  });
});

describe.each(wiredRedis)('on $name, the new life of a deleted thread', ({ open, openWired }) => {
  /** A client that sends what got no answer again, and that nobody destroys. */
  async function openStubborn(options: { readonly commandTimeoutMs?: number } = {}) {
    const { wire } = await openWired();
    const client = new Redis(wire.port, { lazyConnect: true, maxRetriesPerRequest: null, retryStrategy: () => 10 });
    onTestFinished(() => client.disconnect());
    return { wire, client, store: createRedisCheckpointer({ client, ...options }) };
  }

  it('[E22] is whole after a delete of the life before lands late, when its sender has given up', async () => {
    const threadId = randomUUID();
    const direct = open();
    await run(direct, threadId, 'An old life');
    const { store, wire, client } = await openStubborn({ commandTimeoutMs: 300 });
    const deleting = await heldDelete(store, wire, threadId);
    expect(await deleting.ended()).toBe('unavailable, applied: maybe');
    await direct.delete(threadId);
    await run(direct, threadId, 'A new life');
    const landed = wire.passNext((request) => request.includes(threadId));
    await wire.pass();
    await landed.fired;
    await client.ping();
    await expectWhole(direct, threadId);
  });

  it.each([
    ['of a life', async () => {}],
    ['over a tombstone', (store: Checkpointer, threadId: string) => store.delete(threadId)],
  ])(
    '[E31] is whole where the delete %s before it was done, its answer was lost, and it is sent again',
    async (_, first) => {
      const threadId = randomUUID();
      const direct = open();
      await run(direct, threadId, 'An old life');
      await first(direct, threadId);
      const { store, wire } = await openStubborn();
      await store.delete(randomUUID());
      wire.passNext((request) => request.includes(threadId));
      const lost = wire.swallowReply((request) => request.includes(threadId));
      const deleting = outcomeOf(store.delete(threadId));
      await lost.fired;
      await wire.refuse();
      await run(direct, threadId, 'A new life');
      const again = wire.passNext((request) => request.includes(threadId));
      await wire.pass();
      await again.fired;
      expect(await deleting).toBe('deleted');
      await expectWhole(direct, threadId);
    },
  );

  it('[E31] begins after a second delete, which refuses the claim that was under way over the first', async () => {
    const threadId = randomUUID();
    const direct = open();
    await run(direct, threadId, 'An old life');
    await direct.delete(threadId);
    const { store, wire } = await openWired();
    await run(store, randomUUID(), 'Hello');
    const looked = stallAfterLook(wire, threadId);
    const claimer = startProcess(store, [() => expect.fail('the model was asked')]);
    const running = claimer
      .agent(threadId)
      .run('Never begun')
      .catch((error: { code: string }) => error.code);
    await looked;
    await direct.delete(threadId);
    await wire.pass();
    expect(await running).toBe('deleted');
    expect([claimer.warnings, told(claimer)]).toEqual([[], []]);
    expect(await direct.load(threadId)).toMatchObject({ found: false, tombstone: expect.any(String) });
    await run(direct, threadId, 'A new life');
    await expectWhole(direct, threadId);
  });
});
