import { isMissing, type RedisServer, startRedis, startRedisCluster } from '@agent-state/services';
import { afterAll } from 'vitest';

type Options = Parameters<typeof startRedis>[0];

/** A server of this file's own, stopped after it; undefined where there is no redis-server. */
export async function ownRedis(options?: Options): Promise<RedisServer | undefined> {
  const server = await startRedis(options);
  if (isMissing(server)) return undefined;
  afterAll(() => server.stop());
  return server;
}

/** The three masters of a cluster of this file's own. */
export async function ownCluster(): Promise<readonly RedisServer[] | undefined> {
  const cluster = await startRedisCluster();
  if (isMissing(cluster)) return undefined;
  afterAll(() => cluster.stop());
  return cluster.nodes;
}

export async function flush(servers: readonly RedisServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.command('FLUSHALL')));
}

/** Every key that matches, and its value, on these servers, as text. */
export async function everything(servers: readonly RedisServer[], pattern = '*'): Promise<string[]> {
  const texts = await Promise.all(servers.map((server) => everythingOn(server, pattern)));
  return texts.flat();
}

async function everythingOn(server: RedisServer, pattern: string): Promise<string[]> {
  const keys = (await server.command('KEYS', pattern)) as string[];
  const values = await Promise.all(keys.map((key) => storedAt(server, key)));
  return keys.flatMap((key, index) => [key, JSON.stringify(values[index])]);
}

async function storedAt(server: RedisServer, key: string): Promise<unknown> {
  const type = await server.command('TYPE', key);
  if (type === 'hash') return server.command('HGETALL', key);
  return type === 'string' ? server.command('GET', key) : type;
}

/** How often each command has been called since `CONFIG RESETSTAT`, scripts' inner ones included. */
export async function commandCounts(server: RedisServer): Promise<Record<string, number>> {
  const info = String(await server.command('INFO', 'commandstats'));
  const lines = [...info.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)];
  return Object.fromEntries(lines.map(([, name, calls]) => [name, Number(calls)]));
}
