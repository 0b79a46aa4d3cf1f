import type { EventEmitter } from 'node:events';
import { freePort, type RedisServer } from '@agent-state/services';
import { createClient } from '@keyv/redis';
import { Cluster, Redis } from 'ioredis';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { everything, flush, ownCluster, ownRedis } from '../test/servers.ts';
import { append, textsOf, write } from '../test/threads.ts';
import { addressOf } from '../test/variants.ts';
import { createRedisCheckpointer } from './checkpointer.ts';

const redis = await ownRedis();
const masters = await ownCluster();

const listeners = (client: EventEmitter) =>
  Object.fromEntries(client.eventNames().map((name) => [String(name), client.listenerCount(name)]));

describe.skipIf(!redis)('a client that is given', () => {
  const server = redis as RedisServer;
  beforeEach(() => server.command('FLUSHALL'));

  const makers = [
    ['node-redis', () => createClient({ url: server.url })],
    ['ioredis', () => new Redis(server.url, { lazyConnect: true })],
  ] as const;

  test.each(makers)('%s: 200 checkpointers at once leave no listener, and no warning', async (_, make) => {
    const warnings: Error[] = [];
    const collect = (warning: Error) => void warnings.push(warning);
    process.on('warning', collect);
    onTestFinished(() => void process.off('warning', collect));
    const client = make();
    await client.connect();
    onTestFinished(() => client.disconnect());
    const before = listeners(client);
    const stores = Array.from({ length: 200 }, (_, index) =>
      createRedisCheckpointer({ client, namespace: `n${index}` }),
    );
    await Promise.all(stores.map((store) => store.save('t', write(['a']))));
    await Promise.all(stores.map((store) => store.close()));
    await new Promise(setImmediate);
    expect(listeners(client)).toEqual(before);
    expect(warnings).toEqual([]);
  });

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
    for (const key of (await server.command('KEYS', '*')) as string[]) expect(key).toMatch(/^mine:agent_state:\{/);
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

describe.skipIf(!masters)('a cluster', () => {
  const nodes = masters as readonly RedisServer[];
  const urls = nodes.map(({ url }) => url);

  test('60 threads of hostile ids lie on all nodes, two keys of one in one slot, and are gone after delete', async () => {
    await flush(nodes);
    const client = new Cluster(urls.map(addressOf));
    onTestFinished(() => client.disconnect());
    const store = createRedisCheckpointer({ client });
    const ids = Array.from({ length: 60 }, (_, index) => `{a}${Math.sin(index)}}{:*`);
    for (const id of ids) {
      await store.delete(id);
      const absence = await store.load(id);
      const base = await store.save(id, { ...write(['a']), base: absence as { found: false; tombstone: string } });
      await append(store, id, base, ['a'], 'b');
    }
    const sizes = await Promise.all(nodes.map((node) => node.command('DBSIZE')));
    for (const size of sizes) expect(Number(size)).toBeGreaterThan(0);
    await Promise.all(ids.map((id) => store.delete(id)));
    expect((await everything(nodes)).filter((text) => text.includes('control'))).toEqual([]);
    await store.close();
  });

  test.each([
    ['a url', { url: urls[0] as string }],
    ['a client', { createClient: () => new Redis(urls[0] as string, { lazyConnect: true }) }],
  ])('%s of one of its nodes is a configuration error that names the cluster client', async (_, options) => {
    const store = createRedisCheckpointer(options);
    onTestFinished(() => store.close());
    const failed = Array.from({ length: 5 }, (_, index) => store.load(`t${index}`).catch((error: unknown) => error));
    for (const error of await Promise.all(failed)) {
      expect(error).toMatchObject({ code: 'configuration', message: expect.stringMatching(/createCluster.*Cluster/) });
    }
  });

  test('auto-pipelining on a Cluster of ioredis works for threads on different nodes', async () => {
    const client = new Cluster(urls.map(addressOf), { enableAutoPipelining: true });
    onTestFinished(() => client.disconnect());
    const store = createRedisCheckpointer({ client, namespace: 'piped' });
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
    await Promise.all(ids.map((id) => store.save(id, write([id]))));
    expect(await Promise.all(ids.map((id) => textsOf(store, id)))).toEqual(ids.map((id) => [id]));
    await store.close();
  });
});

// A bus port of its own: by default it is 10,000 above the server's, among the ports of outgoing connections.
const single = await ownRedis({ args: ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())] });

test.skipIf(!single)('one node that has all slots of a cluster is served by a plain client', async () => {
  await single?.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await expect.poll(() => single?.command('CLUSTER', 'INFO'), { timeout: 10_000 }).toContain('cluster_state:ok');
  const store = createRedisCheckpointer({ url: single?.url as string });
  onTestFinished(() => store.close());
  const ids = Array.from({ length: 50 }, (_, index) => `t${index}`);
  for (const id of ids) {
    await store.delete(id);
    await store.save(id, { state: { history: [] } });
  }
  expect(await textsOf(store, 't49')).toEqual([]);
});
