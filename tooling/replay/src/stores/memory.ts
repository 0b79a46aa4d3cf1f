import { createMemoryCheckpointer, createMemoryData, type MemoryData } from '@agent-state/kv-memory';
import type { Open } from './store.ts';

const memories = new Map<string, MemoryData>();

/** Every handle of this process on the same address sees the same threads. */
export const open: Open = ([address = '']) => {
  const data = memories.get(address) ?? createMemoryData();
  memories.set(address, data);
  return createMemoryCheckpointer({ data });
};
