import type { Binary } from '../binary.ts';
import { freePort } from '../free-port.ts';
import { isMissing, type Missing } from '../missing.ts';
import { waitUntil } from '../wait-until.ts';
import { findRedis } from './find-redis.ts';
import { launchRedis, type RedisServer } from './start-redis.ts';

export interface RedisCluster {
  readonly nodes: readonly RedisServer[];
  readonly ports: readonly number[];
  readonly version: string;
  stop(): Promise<void>;
}

interface Node {
  readonly server: RedisServer;
  readonly busPort: number;
}

/** The 16,384 slots, a third for each master. */
const ranges = [
  ['0', '5460'],
  ['5461', '10922'],
  ['10923', '16383'],
] as const;

/** Three masters without replicas: what a client needs to see redirections. */
export async function startRedisCluster(): Promise<RedisCluster | Missing> {
  const binary = await findRedis();
  if (isMissing(binary)) return binary;
  const nodes = await Promise.all(ranges.map((slots) => startNode(binary, slots)));
  const servers = nodes.map((node) => node.server);
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  try {
    await introduce(nodes);
    await Promise.all(servers.map((server) => waitUntil(() => isWhole(server), 'the cluster is whole')));
  } catch (error) {
    await stop();
    throw error;
  }
  return Object.freeze({ nodes: servers, ports: servers.map(({ port }) => port), version: binary.version, stop });
}

async function startNode(binary: Binary, slots: readonly [string, string]): Promise<Node> {
  const busPort = await freePort();
  const flags = ['--cluster-enabled', 'yes', '--cluster-port', String(busPort), '--cluster-node-timeout', '2000'];
  const server = await launchRedis(binary, { args: flags });
  await server.command('CLUSTER', 'ADDSLOTSRANGE', ...slots);
  return { server, busPort };
}

/** Two that met the third hear of each other from it. */
async function introduce([first, ...others]: readonly Node[]): Promise<void> {
  if (first === undefined) return;
  const address = ['127.0.0.1', String(first.server.port), String(first.busPort)];
  await Promise.all(others.map(({ server }) => server.command('CLUSTER', 'MEET', ...address)));
}

/** Each node has to know all three, or the first redirection would lead to a node that refuses. */
async function isWhole(server: RedisServer): Promise<boolean> {
  const info = String(await server.command('CLUSTER', 'INFO'));
  return info.includes('cluster_state:ok') && info.includes('cluster_size:3');
}
