import { createRedisCheckpointer } from '@agent-state/kv-redis';
import { Redis } from 'ioredis';
import { closing, type Open } from './store.ts';
import { timeouts } from './timeouts.ts';

export const open: Open = ([url = '']) => {
  const client = new Redis(url, { lazyConnect: true });
  return closing(createRedisCheckpointer({ client, ...timeouts }), () => client.disconnect());
};
