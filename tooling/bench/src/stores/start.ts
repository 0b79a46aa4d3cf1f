import type { Missing } from '@agent-state/services';
import { startMemory } from './memory.ts';
import { startMeasuredMongo } from './mongo.ts';
import { startManyRedis, startOneRedis } from './redis.ts';
import { byCluster, byIoredis, byKeyv, byUrl } from './redis-clients.ts';
import { startSqlite } from './sqlite.ts';
import type { MeasuredStore, StoreName } from './store.ts';

const starters: Readonly<Record<StoreName, () => Promise<MeasuredStore | Missing>>> = {
  memory: startMemory,
  kv: () => startOneRedis(byKeyv),
  sqlite: startSqlite,
  redis: () => startOneRedis(byUrl),
  'redis-ioredis': () => startOneRedis(byIoredis),
  'redis-cluster': () => startManyRedis(byCluster),
  mongo: startMeasuredMongo,
};

/** A store, private and empty, behind a meter. */
export function startMeasured(name: StoreName): Promise<MeasuredStore | Missing> {
  return starters[name]();
}
