import { randomUUID } from 'node:crypto';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import { type RedisServer, startProxy } from '@agent-state/services';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lines, told } from '../agent.ts';
import { loaded } from '../stored.ts';
import { takenOverHistory, takeOver, troubled } from '../troubled.ts';
import { open, ownRedis } from './support.ts';

const redis = await ownRedis('--appendonly', 'yes', '--appendfsync', 'always');

describe.skipIf(!redis)('a client that queues what it could not send', () => {
  const server = redis as RedisServer;

  it('[B24] a save that a client sends again when the server is back changes nothing of what others have written since', async () => {
    const threadId = randomUUID();
    const proxy = await startProxy(server.port);
    onTestFinished(() => proxy.stop());
    // With its defaults: an offline queue, and what got no reply is sent again.
    const client = new Redis(proxy.port, { lazyConnect: true, maxRetriesPerRequest: null });
    onTestFinished(() => client.disconnect());
    const zombie = troubled(
      createRedisCheckpointer({ client, commandTimeoutMs: 300 }),
      { first: async () => proxy.stall() },
      { onStoreDown: 'throw', storeCallMs: 300, storeBudgetMs: 400 },
    );
    await expect(zombie.agent(threadId).run('Go')).rejects.toMatchObject({ code: 'unavailable' });
    await proxy.refuse();
    await server.kill();
    await server.start();

    await takeOver(open(server), threadId);
    const theirs = await loaded(open(server), threadId);
    await proxy.pass();
    const late = proxy.passNext((request) => request.includes('broken'));
    await late.fired;
    await client.ping();

    expect(await loaded(open(server), threadId)).toEqual(theirs);
    expect(lines(theirs.state.history)).toEqual(takenOverHistory);
    expect(told(zombie)).toEqual([]);
  });
});
