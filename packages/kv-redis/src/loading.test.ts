import type { RedisServer } from '@agent-state/services';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ownRedis } from '../test/servers.ts';
import { textsOf, write } from '../test/threads.ts';
import { createRedisCheckpointer } from './checkpointer.ts';

const loads = vi.hoisted(() => vi.fn());
vi.mock(import('@keyv/redis'), async (load) => {
  loads();
  return load();
});

const redis = await ownRedis();

describe.skipIf(!redis)('@keyv/redis', () => {
  const { url } = redis as RedisServer;

  test('is not loaded where the client is one of ioredis', async () => {
    const client = new Redis(url, { lazyConnect: true });
    onTestFinished(() => client.disconnect());
    const store = createRedisCheckpointer({ client });
    await store.save('t', write(['a']));
    expect(await textsOf(store, 't')).toEqual(['a']);
    await store.close();
    expect(loads).not.toHaveBeenCalled();
  });

  test('is loaded by the first call where a url is given', async () => {
    const store = createRedisCheckpointer({ url });
    expect(loads).not.toHaveBeenCalled();
    expect(await textsOf(store, 't')).toEqual(['a']);
    expect(loads).toHaveBeenCalledOnce();
    await store.close();
  });
});
