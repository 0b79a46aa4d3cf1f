export { memoryAdapter } from './adapter.ts';
export { createMemoryCheckpointer, type MemoryCheckpointerOptions } from './checkpointer.ts';
export { createMemoryData, type MemoryData } from './data.ts';
