import type { Checkpointer } from '@agent-state/core';
import { createRedisCheckpointer, type RedisCheckpointerOptions } from '@agent-state/kv-redis';
import { isMissing, type RedisServer, startRedis } from '@agent-state/services';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { Recorded } from '../agent.ts';

/** What a user would set, only shorter: a store that refuses at once counts as down after 0.4 s. */
export const deadlines = { storeCallMs: 1_000, storeBudgetMs: 1_400 };
/** What holds for a user who sets nothing: enough for a client to connect again, many times over. */
export const unhurried = { storeCallMs: 2_000, storeBudgetMs: 5_000 };
/** A read-back may follow the last call of the budget. */
export const longestMs = deadlines.storeBudgetMs + 2 * deadlines.storeCallMs;
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

/** What a process tells of its store, in order. */
export function told({ events }: Recorded): string[] {
  const ofStore = ['volatile', 'rejoined', 'vanished', 'rolled_back', 'diverged'];
  return events.map(({ type }) => type).filter((type) => ofStore.includes(type));
}

/** A store of which `hear` is told what a load or save failed with, before the agent is. */
export function overheard(store: Checkpointer, hear: (error: unknown) => Promise<unknown>): Checkpointer {
  const overhear = <T>(call: Promise<T>) =>
    call.catch(async (error: unknown) => {
      await hear(error);
      throw error;
    });
  return {
    ...store,
    load: (threadId) => overhear(store.load(threadId)),
    save: (threadId, write) => overhear(store.save(threadId, write)),
  };
}

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
