import {
  assertNamespace,
  type Capabilities,
  type Checkpointer,
  defaultMaxMessageBytes,
  defineCheckpointer,
  type Runtime,
  systemRuntime,
} from '@agent-state/core';
import { createMemoryData, type MemoryData } from './data.ts';
import { createMemoryStore } from './store.ts';

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

/** A checkpointer in the memory of this process: for tests, demos, and threads that may go with the process. */
export function createMemoryCheckpointer(options: MemoryCheckpointerOptions = {}): Checkpointer {
  const { namespace = 'agent-state', data = createMemoryData(), runtime = systemRuntime } = options;
  assertNamespace(namespace);
  const { now = () => runtime.monotonic(), maxMessageBytes = defaultMaxMessageBytes } = options;
  return defineCheckpointer(createMemoryStore(data.namespace(namespace), capabilities(maxMessageBytes), now), runtime);
}

function capabilities(maxMessageBytes: number): Capabilities {
  return {
    conditional: true,
    tombstones: true,
    appends: true,
    steps: true,
    list: true,
    query: true,
    durable: false,
    ttlResolutionMs: 1,
    maxStateBytes: Number.POSITIVE_INFINITY,
    maxMessageBytes,
  };
}
