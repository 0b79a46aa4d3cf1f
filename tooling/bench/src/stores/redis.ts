import type { Checkpointer } from '@agent-state/core';
import { isMissing, type Missing, type RedisServer, startRedis, startRedisCluster } from '@agent-state/services';
import { sumOf } from '../meter.ts';
import { ownOfRedisClients, parseRedis } from '../wire/redis.ts';
import { type Relay, startRelay } from '../wire/relay.ts';
import type { MeasuredStore } from './store.ts';

/** A client's way to the servers; `close` ends it. */
export interface Opened {
  readonly checkpointer: Checkpointer;
  close(): Promise<unknown>;
}

/** A way through the relay for each node, in the order of the nodes. */
export interface Way {
  /** Where the server says it is. */
  readonly port: number;
  /** Where the relay in front of it is. */
  readonly relay: number;
}

export async function startOneRedis(open: (way: Way) => Opened): Promise<MeasuredStore | Missing> {
  const server = await startRedis();
  if (isMissing(server)) return server;
  return measured(
    [server],
    () => server.stop(),
    ([way]) => open(way as Way),
  );
}

export async function startManyRedis(open: (ways: readonly Way[]) => Opened): Promise<MeasuredStore | Missing> {
  const cluster = await startRedisCluster();
  if (isMissing(cluster)) return cluster;
  return measured(cluster.nodes, () => cluster.stop(), open);
}

async function measured(
  servers: readonly RedisServer[],
  stopServers: () => Promise<void>,
  open: (ways: readonly Way[]) => Opened,
): Promise<MeasuredStore> {
  const relays: Relay[] = [];
  for (const { port } of servers) relays.push(await startRelay(port, parseRedis, ownOfRedisClients));
  const ways = servers.map(({ port }, index) => ({ port, relay: relays[index]?.port ?? 0 }));
  const opened: Opened[] = [];
  return {
    open() {
      const next = open(ways);
      opened.push(next);
      return next.checkpointer;
    },
    meter: sumOf(relays),
    bytesKept: async () => sum(await Promise.all(servers.map(memoryOf))),
    async stop() {
      await Promise.all(opened.map((client) => client.close()));
      await Promise.all(relays.map((relay) => relay.stop()));
      await stopServers();
    },
  };
}

/** What Redis says of every key, and every field of it. */
async function memoryOf(server: RedisServer): Promise<number> {
  const keys = (await server.command('KEYS', '*')) as string[];
  const sizes = keys.map(async (key) => Number(await server.command('MEMORY', 'USAGE', key, 'SAMPLES', '0')));
  return sum(await Promise.all(sizes));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
