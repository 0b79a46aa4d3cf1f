import { AgentStateError, type Runtime } from '@agent-state/core';
import type { MemoryData } from './data.ts';

export interface MemoryCheckpointerOptions {
  /** Keeps threads of the same id in the same memory apart. Default `agent-state`. */
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

/** All of them: a misspelt one would otherwise be as if it were not there. */
const known: Readonly<Record<keyof MemoryCheckpointerOptions, true>> = {
  namespace: true,
  data: true,
  now: true,
  maxMessageBytes: true,
  runtime: true,
};

export function assertKnown(options: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  const message = `There is no option ${unknown}; known are ${Object.keys(known).join(', ')}.`;
  throw new AgentStateError('configuration', message, { path: unknown });
}
