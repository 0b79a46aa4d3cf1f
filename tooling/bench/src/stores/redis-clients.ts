import { createKvCheckpointer } from '@agent-state/kv';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import KeyvRedis from '@keyv/redis';
import { Cluster, Redis } from 'ioredis';
import { Keyv } from 'keyv';
import type { Opened, Way } from './redis.ts';

const urlOf = ({ relay }: Way): string => `redis://127.0.0.1:${relay}`;

export function byUrl(way: Way): Opened {
  const checkpointer = createRedisCheckpointer({ url: urlOf(way) });
  return { checkpointer, close: () => checkpointer.close() };
}

export function byIoredis(way: Way): Opened {
  return given(new Redis(urlOf(way), { lazyConnect: true }));
}

/** The nodes tell each other's own addresses, which lead past the relays: `natMap` leads back. */
export function byCluster(ways: readonly Way[]): Opened {
  const natMap = Object.fromEntries(
    ways.map(({ port, relay }) => [`127.0.0.1:${port}`, { host: '127.0.0.1', port: relay }]),
  );
  return given(
    new Cluster(
      ways.map(({ port }) => ({ host: '127.0.0.1', port })),
      { natMap },
    ),
  );
}

export function byKeyv(way: Way): Opened {
  const adapter = new KeyvRedis({ url: urlOf(way), disableOfflineQueue: true }, { throwOnErrors: true });
  const keyv = new Keyv(adapter, { throwOnErrors: true });
  // A Keyv without a listener throws what its calls have already rejected with.
  keyv.on('error', () => {});
  const checkpointer = createKvCheckpointer({ keyv });
  return { checkpointer, close: () => checkpointer.close().then(() => keyv.disconnect()) };
}

function given(client: Redis | Cluster): Opened {
  const checkpointer = createRedisCheckpointer({ client });
  return { checkpointer, close: () => checkpointer.close().then(() => client.disconnect()) };
}
