import type { KnownOptions, Runtime } from '@agent-state/core';
import type { MemoryData } from './data.ts';

export interface MemoryCheckpointerOptions {
  /** Keeps threads of the same id in the same memory apart. Default `agent_checkpoints`. */
  readonly namespace?: string;
  /** Memory to share with other checkpointers. Default: memory of its own, gone with the checkpointer. */
  readonly data?: MemoryData;
  /** The clock of expiry, in milliseconds; it must not go back. Default: the runtime's monotonic clock. */
  readonly now?: () => number;
  /** The largest message, in bytes of JSON. Default 16,000,000. */
  readonly maxMessageBytes?: number;
  /** Where ids and time come from. Default: the system's. */
  readonly runtime?: Runtime;
}

export const knownOptions: KnownOptions<MemoryCheckpointerOptions> = {
  namespace: true,
  data: true,
  now: true,
  maxMessageBytes: true,
  runtime: true,
};
