export { memoryAdapter } from './adapter.ts';
export { createMemoryCheckpointer } from './checkpointer.ts';
export { createMemoryData, type MemoryData } from './data.ts';
export type { MemoryCheckpointerOptions } from './options.ts';
