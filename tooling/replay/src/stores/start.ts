import { isMissing, type Missing, startMongo, startRedis, startRedisCluster } from '@agent-state/services';
import type { StoreName } from './store.ts';

/** A store that runs, until it is stopped. */
export interface Running {
  readonly at: readonly string[];
  stop(): Promise<void>;
}

/** Starts what a store needs, private and empty. `folder` is where files go. */
export async function startStore(name: StoreName, folder: string): Promise<Running | Missing> {
  switch (name) {
    case 'memory':
      return { at: [crypto.randomUUID()], stop: async () => {} };
    case 'sqlite':
      return { at: [`${folder}/threads.sqlite`], stop: async () => {} };
    case 'redis-cluster':
      return startCluster();
    case 'mongo':
      return running(await startMongo());
    case 'kv':
    case 'redis':
    case 'redis-ioredis':
      return running(await startRedis());
  }
}

function running(server: { readonly url: string; stop(): Promise<void> } | Missing): Running | Missing {
  return isMissing(server) ? server : { at: [server.url], stop: () => server.stop() };
}

async function startCluster(): Promise<Running | Missing> {
  const cluster = await startRedisCluster();
  if (isMissing(cluster)) return cluster;
  return { at: cluster.nodes.map(({ url }) => url), stop: () => cluster.stop() };
}
