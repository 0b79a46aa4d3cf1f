import { createRedisCheckpointer } from '@agent-state/kv-redis';
import type { Open } from './store.ts';
import { timeouts } from './timeouts.ts';

export const open: Open = ([url = '']) => createRedisCheckpointer({ url, ...timeouts });
