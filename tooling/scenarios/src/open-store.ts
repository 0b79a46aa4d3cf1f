import type { Checkpointer } from '@agent-state/core';

/** For child processes, by the store's name; only the one store's client is loaded. */
export async function openStore(store: string, url: string): Promise<Checkpointer> {
  if (store === 'redis') return (await import('@agent-state/kv-redis')).createRedisCheckpointer({ url });
  if (store === 'mongo') return (await import('@agent-state/doc-mongo')).createMongoCheckpointer({ url });
  return (await import('@agent-state/doc-sqlite')).createSqliteCheckpointer({ path: url });
}
