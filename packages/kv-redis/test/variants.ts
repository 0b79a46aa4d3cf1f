import type { Checkpointer } from '@agent-state/core';
import { createClient, createCluster } from '@keyv/redis';
import { Cluster, Redis } from 'ioredis';
import { createRedisCheckpointer, type RedisCheckpointerOptions } from '../src/index.ts';

type Rest = Omit<RedisCheckpointerOptions, 'url' | 'client' | 'createClient'>;

/** One way to reach a server: opens a checkpointer with a client of its own, which ends with it. */
export interface Variant {
  readonly name: string;
  open(urls: readonly string[], rest?: Rest): Checkpointer;
}

export const byUrl: Variant = {
  name: 'a url',
  open: ([url = ''], rest) => createRedisCheckpointer({ url, ...rest }),
};

export const byNodeRedis: Variant = {
  name: 'a client of node-redis',
  open([url = ''], rest) {
    const client = createClient({ url });
    return closing(createRedisCheckpointer({ client, ...rest }), () => client.destroy());
  },
};

export const byIoredis: Variant = {
  name: 'a client of ioredis',
  open([url = ''], rest) {
    const client = new Redis(url, { lazyConnect: true });
    return closing(createRedisCheckpointer({ client, ...rest }), () => client.disconnect());
  },
};

export const byIoredisCluster: Variant = {
  name: 'a Cluster of ioredis',
  open(urls, rest) {
    const client = new Cluster(urls.map(addressOf));
    return closing(createRedisCheckpointer({ client, ...rest }), () => client.disconnect());
  },
};

export const byNodeRedisCluster: Variant = {
  name: 'a cluster of node-redis, by createClient',
  open(urls, rest) {
    const make = () => createCluster({ rootNodes: urls.map((url) => ({ url })) });
    return createRedisCheckpointer({ createClient: make, ...rest });
  },
};

export function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/** The suite closes checkpointers; the given client is this file's to close. */
function closing(checkpointer: Checkpointer, close: () => void): Checkpointer {
  return Object.freeze({
    ...checkpointer,
    async close() {
      await checkpointer.close();
      try {
        close();
      } catch {
        // It never connected.
      }
    },
  });
}
