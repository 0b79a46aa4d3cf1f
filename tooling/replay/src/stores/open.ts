import type { Checkpointer } from '@agent-state/core';
import type { Open, Place, StoreName } from './store.ts';

/** Each store's module is loaded when that store is asked for: a process pays for its own client only. */
const modules: Readonly<Record<StoreName, () => Promise<{ readonly open: Open }>>> = {
  memory: () => import('./memory.ts'),
  kv: () => import('./kv.ts'),
  sqlite: () => import('./sqlite.ts'),
  redis: () => import('./redis.ts'),
  'redis-ioredis': () => import('./redis-ioredis.ts'),
  'redis-cluster': () => import('./redis-cluster.ts'),
  mongo: () => import('./mongo.ts'),
};

export async function openStore({ name, at }: Place): Promise<Checkpointer> {
  const { open } = await modules[name]();
  return open(at);
}
