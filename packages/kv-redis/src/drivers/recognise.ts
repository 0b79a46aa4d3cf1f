import type { RedisDriver } from './driver.ts';
import { driveIoredis, type IoredisClient } from './ioredis.ts';
import { driveNodeRedis, type NodeRedisClient } from './node-redis.ts';
import { driveNodeRedisCluster, type NodeRedisCluster } from './node-redis-cluster.ts';

/** A client of either library, single or cluster. Recognised by its shape: nothing is imported to know it. */
export type RedisClient = NodeRedisClient | NodeRedisCluster | IoredisClient;

interface Shared {
  readonly driver: RedisDriver;
  users: number;
}

/** One driver a client, however many checkpointers use it: a listener each would look like a leak from the 11th on. */
const inUse = new WeakMap<object, Shared>();

/** The driver for a client, to be released once; undefined for what is no client. */
export function driverOf(client: unknown): RedisDriver | undefined {
  const known = sharedOf(client);
  if (!known) return undefined;
  known.users += 1;
  let released = false;
  return {
    ...known.driver,
    release() {
      if (released) return;
      released = true;
      known.users -= 1;
      if (known.users > 0) return;
      inUse.delete(client as object);
      known.driver.release();
    },
  };
}

function sharedOf(client: unknown): Shared | undefined {
  if (typeof client !== 'object' || client === null) return undefined;
  const known = inUse.get(client);
  if (known) return known;
  const driver = drive(client);
  if (!driver) return undefined;
  const made = { driver, users: 0 };
  inUse.set(client, made);
  return made;
}

function drive(client: object): RedisDriver | undefined {
  if (isIoredis(client)) return driveIoredis(client);
  if (isNodeRedisCluster(client)) return driveNodeRedisCluster(client);
  return isNodeRedis(client) ? driveNodeRedis(client) : undefined;
}

function isIoredis(client: object): client is IoredisClient {
  return has(client, { status: 'string', call: 'function', connect: 'function', disconnect: 'function' });
}

function isNodeRedisCluster(client: object): client is NodeRedisCluster {
  return has(client, { nodeByAddress: 'object', isOpen: 'boolean', connect: 'function', sendCommand: 'function' });
}

/** A node-redis sentinel sends its commands otherwise; it has no `unref`. */
function isNodeRedis(client: object): client is NodeRedisClient {
  return has(client, { isOpen: 'boolean', isReady: 'boolean', sendCommand: 'function', unref: 'function' });
}

function has(client: object, members: Readonly<Record<string, string>>): boolean {
  return Object.entries(members).every(([name, type]) => typeof (client as Record<string, unknown>)[name] === type);
}
