export { createKvCheckpointer } from './checkpointer.ts';
export type { KvCheckpointerOptions } from './options.ts';
