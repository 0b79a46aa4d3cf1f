import { createMemoryCheckpointer, createMemoryData } from '@agent-state/kv-memory';
import { conformance } from './vitest.ts';

conformance({
  name: 'kv-memory',
  async create() {
    const data = createMemoryData();
    return {
      open: async () => createMemoryCheckpointer({ data }),
      openIn: async (namespace) => createMemoryCheckpointer({ data, namespace }),
      close: async () => {},
    };
  },
});
