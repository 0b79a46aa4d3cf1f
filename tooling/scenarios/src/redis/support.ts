import { createRedisCheckpointer, type RedisCheckpointerOptions } from '@agent-state/kv-redis';
import { isMissing, type RedisServer, startRedis } from '@agent-state/services';
import { afterAll, expect, onTestFinished } from 'vitest';

/** The client gives up before the agent does, and says what it knows. */
const clientDeadlines = { connectTimeoutMs: 900, commandTimeoutMs: 900 };

/** A server of the file's own for its tests to break; undefined where there is no redis-server. */
export async function ownRedis(...args: string[]): Promise<RedisServer | undefined> {
  const server = await startRedis({ args });
  if (isMissing(server)) return undefined;
  afterAll(() => server.stop());
  return server;
}

/** A checkpointer with a client of its own, closed when the test is over. */
export function open({ url }: Pick<RedisServer, 'url'>, options: Partial<RedisCheckpointerOptions> = {}) {
  const checkpointer = createRedisCheckpointer({ url, ...clientDeadlines, ...options });
  onTestFinished(() => checkpointer.close());
  return checkpointer;
}

/** Where a thread is whose id needs no encoding. */
export const keyOf = (threadId: string): string => `agent_checkpoints:{${threadId}}`;

/** Writes wait from now on. `released`: one has waited, `act` is done, and no write waits any more. */
export async function holdWrites(
  server: RedisServer,
  act: () => unknown = () => {},
): Promise<{ readonly released: Promise<void> }> {
  await server.command('CLIENT', 'PAUSE', '600000', 'WRITE');
  const release = async (): Promise<void> => {
    const clients = () => server.command('INFO', 'clients');
    await expect.poll(clients, { timeout: 10_000, interval: 10 }).toContain('blocked_clients:1');
    await act();
    await server.command('CLIENT', 'UNPAUSE');
  };
  return { released: release() };
}
