import { randomUUID } from 'node:crypto';
import { freePort, type RedisServer } from '@agent-state/services';
import { Cluster, Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { factoryOn, toolCalls } from '../test/agents.ts';
import { everything, flush, ownCluster, ownRedis } from '../test/servers.ts';
import { append, textsOf, write } from '../test/threads.ts';
import { addressOf } from '../test/variants.ts';
import { createRedisCheckpointer } from './checkpointer.ts';

const masters = await ownCluster();

describe.skipIf(!masters)('a cluster', () => {
  const nodes = masters as readonly RedisServer[];
  const urls = nodes.map(({ url }) => url);

  test('[S-CLU-02] 60 threads of hostile ids lie on all nodes, two keys of one in one slot, and all are gone after delete', async () => {
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
    // What a key's tombstone is: a text and no thread. A part of the threads would be no listing.
    expect(await everything(nodes)).toHaveLength(2 * ids.length);
    await expect(store.list()).rejects.toMatchObject({ code: 'unsupported' });
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

test.skipIf(!single)(
  '[S-CLU-01] one node that has all slots of a cluster serves a plain client: saves, results of tools, deletes',
  async () => {
    await single?.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await expect.poll(() => single?.command('CLUSTER', 'INFO'), { timeout: 10_000 }).toContain('cluster_state:ok');
    const store = createRedisCheckpointer({ url: single?.url as string });
    onTestFinished(() => store.close());
    const factory = factoryOn(store, [toolCalls('work', 'work'), { content: 'Done.' }]);
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const threadId = randomUUID();
        await store.delete(threadId);
        expect(await factory.create({ threadId }).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
        expect(await store.steps(threadId)).toHaveLength(3);
        expect(await textsOf(store, threadId)).toEqual(['Go', null, 'worked', 'worked', 'Done.']);
        await store.delete(threadId);
        expect(await textsOf(store, threadId)).toBeNull();
      }),
    );
  },
);
