import type { CheckpointerAdapter } from '@agent-state/core';
import { createMemoryCheckpointer } from './checkpointer.ts';
import { createMemoryData, type MemoryData } from './data.ts';

const shared = new Map<string, MemoryData>();

/**
 * For a settings file with `backend = "memory"` or `"local"`. As on a server, connections of the same name see the
 * same threads; they last as long as the process.
 */
export const memoryAdapter: CheckpointerAdapter = Object.freeze<CheckpointerAdapter>({
  backends: Object.freeze(['memory', 'local']),
  strategy: 'kv_store',
  providerKeys: Object.freeze(['uri', 'url']),
  connect({ name, namespace }) {
    const data = shared.get(name) ?? createMemoryData();
    shared.set(name, data);
    return createMemoryCheckpointer({ namespace, data });
  },
});
