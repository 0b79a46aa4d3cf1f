import type { EventEmitter } from 'node:events';
import type { Checkpointer } from '@agent-state/core';
import { collectGarbage, type RedisServer } from '@agent-state/services';
import { createClient } from '@keyv/redis';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { factoryOn } from '../test/agents.ts';
import { ownRedis } from '../test/servers.ts';
import { textsOf, write } from '../test/threads.ts';
import { createRedisCheckpointer } from './checkpointer.ts';
import type { RedisClient } from './drivers/recognise.ts';

const redis = await ownRedis();

const listeners = (client: EventEmitter) =>
  Object.fromEntries(client.eventNames().map((name) => [String(name), client.listenerCount(name)]));

/** An agent with a checkpointer of its own on the client; what is left of the checkpointer afterwards. */
async function useAndClose(client: RedisClient, namespace: string): Promise<WeakRef<Checkpointer>> {
  const checkpointer = createRedisCheckpointer({ client, namespace });
  const factory = factoryOn(checkpointer, [{ content: 'Hello.' }]);
  expect(await factory.create({ threadId: 't' }).run('Hi')).toMatchObject({ durable: true });
  await factory.close();
  await checkpointer.close();
  return new WeakRef(checkpointer);
}

describe.skipIf(!redis)('a client that is given', () => {
  const server = redis as RedisServer;
  beforeEach(() => server.command('FLUSHALL'));

  const makers = [
    ['node-redis', () => createClient({ url: server.url })],
    ['ioredis', () => new Redis(server.url, { lazyConnect: true })],
  ] as const;

  test.each(makers)(
    '[S-MEM-01] %s: 200 agents at once leave no listener, no warning and nothing in memory',
    async (_, make) => {
      const warnings: Error[] = [];
      const collect = (warning: Error) => void warnings.push(warning);
      process.on('warning', collect);
      onTestFinished(() => void process.off('warning', collect));
      const client = make();
      await client.connect();
      onTestFinished(() => client.disconnect());
      const before = listeners(client);
      const used = await Promise.all(Array.from({ length: 200 }, (_, index) => useAndClose(client, `n${index}`)));
      await new Promise(setImmediate);
      expect(listeners(client)).toEqual(before);
      expect(warnings).toEqual([]);
      const kept = () => {
        collectGarbage();
        return used.filter((checkpointer) => checkpointer.deref() !== undefined).length;
      };
      await expect.poll(kept).toBe(0);
    },
  );

  test.each(makers)('%s: is connected if it is not, and stays open after close and reset', async (_, make) => {
    const client = make();
    const store = createRedisCheckpointer({ client });
    onTestFinished(() => client.disconnect());
    await store.save('t', write(['a']));
    store.reset();
    await store.close();
    expect('isReady' in client ? client.isReady : client.status === 'ready').toBe(true);
  });

  test.each(makers)('%s: closed by its owner is unavailable, and is not opened again', async (_, make) => {
    const client = make();
    await client.connect();
    const store = createRedisCheckpointer({ client });
    await store.save('t', write(['a']));
    await client.disconnect();
    await expect.poll(() => ('isOpen' in client ? client.isOpen : client.status !== 'end')).toBe(false);
    await expect(store.load('t')).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    await store.close();
  });

  test('two checkpointers of one client: closing one leaves the other', async () => {
    const client = createClient({ url: server.url });
    onTestFinished(() => client.destroy());
    const [one, two] = [createRedisCheckpointer({ client }), createRedisCheckpointer({ client })];
    await one.save('t', write(['a']));
    await one.close();
    expect(await textsOf(two, 't')).toEqual(['a']);
    await two.close();
  });

  test("ioredis' keyPrefix and auto-pipelining are what the owner set", async () => {
    const client = new Redis(server.url, { keyPrefix: 'mine:', enableAutoPipelining: true });
    onTestFinished(() => client.disconnect());
    const store = createRedisCheckpointer({ client });
    await Promise.all(['t', 'u', 'v'].map((id) => store.save(id, write([id]))));
    await store.delete('v');
    expect(await textsOf(store, 'u')).toEqual(['u']);
    for (const key of (await server.command('KEYS', '*')) as string[])
      expect(key).toMatch(/^mine:agent_checkpoints:\{/);
    await store.close();
  });
});

describe.skipIf(!redis)('a client that is made by createClient', () => {
  const server = redis as RedisServer;

  test('is made once, anew after reset, and is closed with the checkpointer', async () => {
    const made: Redis[] = [];
    const make = () => {
      const client = new Redis(server.url, { lazyConnect: true });
      made.push(client);
      return client;
    };
    const store = createRedisCheckpointer({ createClient: make });
    await Promise.all(['a', 'b', 'c'].map((id) => store.load(id)));
    expect(made).toHaveLength(1);
    store.reset();
    await store.load('a');
    expect(made).toHaveLength(2);
    await store.close();
    await expect.poll(() => made.map(({ status }) => status)).toEqual(['end', 'end']);
  });

  test('one that has given up is replaced', async () => {
    const make = () => new Redis(server.url, { lazyConnect: true, retryStrategy: () => null });
    const store = createRedisCheckpointer({ createClient: make, connectTimeoutMs: 500 });
    onTestFinished(() => store.close());
    await store.load('a');
    await server.kill();
    await expect(store.load('a')).rejects.toMatchObject({ code: 'unavailable' });
    await server.start();
    await expect.poll(() => textsOf(store, 'a').catch(() => 'unavailable')).toBeNull();
  });
});
