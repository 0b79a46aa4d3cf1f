import type { Checkpointer } from '@agent-state/core';

/** The stores by which `--store` names them, in the order in which `all` runs them. */
export const storeNames = ['memory', 'kv', 'sqlite', 'redis', 'redis-ioredis', 'redis-cluster', 'mongo'] as const;
export type StoreName = (typeof storeNames)[number];

/** Where a store is; plain data, so that it can be told to another process. */
export interface Place {
  readonly name: StoreName;
  /** Addresses of servers, or the path of a file. */
  readonly at: readonly string[];
}

/** A checkpointer, with a client of its own that is closed with it. */
export type Open = (at: readonly string[]) => Checkpointer;

/** The checkpointer, which on closing closes the client that it was given as well. */
export function closing(checkpointer: Checkpointer, close: () => unknown): Checkpointer {
  return Object.freeze<Checkpointer>({
    ...checkpointer,
    async close() {
      await checkpointer.close();
      await close();
    },
  });
}
