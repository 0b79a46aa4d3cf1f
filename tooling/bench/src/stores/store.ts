import type { Checkpointer } from '@agent-state/core';
import type { Meter } from '../meter.ts';

/** The stores by their names, in the order in which they are measured. */
export const storeNames = ['memory', 'kv', 'sqlite', 'redis', 'redis-ioredis', 'redis-cluster', 'mongo'] as const;
export type StoreName = (typeof storeNames)[number];

/** A store that runs, and what it costs. */
export interface MeasuredStore {
  /** A handle of its own; closed by `stop`. */
  open(): Checkpointer;
  /** Everything that all handles have sent. */
  readonly meter: Meter;
  /** What the store holds, of all threads, in bytes of its own. */
  bytesKept(): Promise<number>;
  stop(): Promise<void>;
}
