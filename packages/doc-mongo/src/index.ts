export { mongoAdapter } from './adapter.ts';
export { createMongoCheckpointer } from './checkpointer.ts';
export type { MongoCheckpointerOptions, TailBounds } from './options.ts';
