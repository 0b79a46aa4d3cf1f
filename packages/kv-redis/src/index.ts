export { redisAdapter } from './adapter.ts';
export { createRedisCheckpointer } from './checkpointer.ts';
export type { IoredisClient } from './drivers/ioredis.ts';
export type { NodeRedisClient } from './drivers/node-redis.ts';
export type { NodeRedisCluster } from './drivers/node-redis-cluster.ts';
export type { RedisClient } from './drivers/recognise.ts';
export type { RedisCheckpointerOptions } from './options.ts';
