import { createRedisCheckpointer } from '@agent-state/kv-redis';
import { Cluster } from 'ioredis';
import { closing, type Open } from './store.ts';
import { timeouts } from './timeouts.ts';

export const open: Open = (urls) => {
  const client = new Cluster(urls.map(addressOf));
  return closing(createRedisCheckpointer({ client, ...timeouts }), () => client.disconnect());
};

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
