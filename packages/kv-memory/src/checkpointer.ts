import {
  assertKnown,
  assertNamespace,
  type Capabilities,
  type Checkpointer,
  defaultMaxMessageBytes,
  defineCheckpointer,
  systemRuntime,
} from '@agent-state/core';
import { createMemoryData } from './data.ts';
import { knownOptions, type MemoryCheckpointerOptions } from './options.ts';
import { createMemoryStore } from './store.ts';

/** A checkpointer in the memory of this process: for tests, demos, and threads that may go with the process. */
export function createMemoryCheckpointer(options: MemoryCheckpointerOptions = {}): Checkpointer {
  assertKnown(options, knownOptions);
  const { namespace = 'agent_checkpoints', data = createMemoryData(), runtime = systemRuntime } = options;
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
