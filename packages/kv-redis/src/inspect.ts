import { AgentStateError, type Logger } from '@agent-state/core';
import type { RedisDriver } from './drivers/driver.ts';

/** For who gives no logger: a thread that goes while everything runs is not to be a riddle. */
const onConsole: Pick<Logger, 'warn'> = {
  warn: (fields, message) => console.warn(`[agent-state] ${message}`, fields),
};

/**
 * Looks once at a server just connected to. Warns where it may lose threads; returns the error that every call is to
 * throw where the client cannot work with it. A server that does not let us look is taken as it is.
 */
export async function inspect(driver: RedisDriver, logger: Logger | undefined): Promise<AgentStateError | undefined> {
  try {
    const info = String(await driver.send(undefined, ['info']));
    warnOfEviction(logger ?? onConsole, info);
    if (logger) await warnOfRestarts(driver, logger, info);
    return await faultOf(driver, info);
  } catch {
    return undefined;
  }
}

function warnOfEviction(logger: Pick<Logger, 'warn'>, info: string): void {
  const policy = field(info, 'maxmemory_policy');
  if (!policy?.startsWith('allkeys-')) return;
  logger.warn({ policy }, 'Redis may evict threads when its memory is full; noeviction keeps them');
}

/** A server without persistence is usual where people develop: only who gives a logger hears of it. */
async function warnOfRestarts(driver: RedisDriver, logger: Logger, info: string): Promise<void> {
  if (field(info, 'aof_enabled') === '0' && (await hasNoSnapshots(driver))) {
    logger.warn({}, 'Redis keeps nothing on disk: threads are lost when it restarts');
  }
}

async function hasNoSnapshots(driver: RedisDriver): Promise<boolean> {
  try {
    return savePoints(await driver.send(undefined, ['config', 'get', 'save'])) === '';
  } catch {
    // Many managed servers deny CONFIG, and see to persistence themselves.
    return false;
  }
}

/** A list of two in RESP2, a map in RESP3. */
function savePoints(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply[1];
  return reply instanceof Map ? reply.get('save') : (reply as { save?: unknown } | null)?.save;
}

/** A single client reaches only the threads of its own node; where that has all the slots, that is all of them. */
async function faultOf(driver: RedisDriver, info: string): Promise<AgentStateError | undefined> {
  if (driver.cluster || field(info, 'cluster_enabled') !== '1') return undefined;
  const nodes = Number(field(String(await driver.send(undefined, ['cluster', 'info'])), 'cluster_size'));
  if (!(nodes > 1)) return undefined;
  return new AgentStateError(
    'configuration',
    `This Redis server is one of ${nodes} in a cluster: give a cluster client (createCluster of node-redis, Cluster of ioredis) as \`client\`.`,
    { path: 'client' },
  );
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:([^\\r\\n]*)`, 'm').exec(info)?.[1];
}
