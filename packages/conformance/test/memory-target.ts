import { createMemoryCheckpointer, createMemoryData, type MemoryData } from '@agent-state/kv-memory';
import type { ConformanceTarget } from '../src/target.ts';

/** The namespace in which a checkpointer is opened that was not told another. */
export const namespace = 'conformance';

/** The memory adapter as a target: every backend is memory of its own. For the suite's own tests. */
export const memoryTarget: ConformanceTarget = {
  name: 'kv-memory',
  async create() {
    const data = createMemoryData();
    return {
      open: async () => createMemoryCheckpointer({ data, namespace }),
      openIn: async (name) => createMemoryCheckpointer({ data, namespace: name }),
      raw: async () => contents(data),
      close: async () => {},
    };
  },
};

/** All entries, as they were before anything could have expired. */
export function contents(data: MemoryData): string[] {
  const { threads, tombstones } = data.namespace(namespace);
  return [...threads.entries(Number.NEGATIVE_INFINITY), ...tombstones.entries(Number.NEGATIVE_INFINITY)].map((entry) =>
    JSON.stringify(entry),
  );
}
