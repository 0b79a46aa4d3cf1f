// TypeScript finds the module that is augmented below only where it is also imported.
import type {} from 'vitest';
import type { TestProject } from 'vitest/node';
import { isMissing, type Missing } from './missing.ts';
import { openMongo } from './mongo/open-mongo.ts';
import { startRedis } from './redis/start-redis.ts';
import { startRedisCluster } from './redis/start-redis-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where there is no redis-server: skip, by `describe.skipIf`. */
    redisUrl: string | undefined;
    /** One url a master. */
    redisClusterNodes: readonly string[] | undefined;
    mongoUrl: string | undefined;
  }
}

interface Stoppable {
  readonly version: string;
  readonly from: string;
  stop(): Promise<void>;
}

/** Shared servers for the whole run. A test that breaks its server starts one of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [redis, cluster, mongo] = await Promise.all([startRedis(), startRedisCluster(), openMongo()]);
  project.provide('redisUrl', isMissing(redis) ? undefined : redis.url);
  project.provide('redisClusterNodes', isMissing(cluster) ? undefined : cluster.nodes.map((node) => node.url));
  project.provide('mongoUrl', isMissing(mongo) ? undefined : mongo.url);
  announce('redis-server', redis);
  announce('mongod', mongo);
  return async () => void (await Promise.all([redis, cluster, mongo].map(stop)));
}

function announce(name: string, service: Stoppable | Missing): void {
  const line = isMissing(service)
    ? `!!! ITS TESTS ARE SKIPPED: ${service.missing}`
    : `${name} ${service.version} (${service.from})`;
  process.stderr.write(`${line}\n`);
}

async function stop(service: Pick<Stoppable, 'stop'> | Missing): Promise<void> {
  if (!isMissing(service)) await service.stop();
}
