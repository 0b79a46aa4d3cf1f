export { sqliteAdapter } from './adapter.ts';
export { createSqliteCheckpointer } from './checkpointer.ts';
export type { SqliteDatabase, SqliteStatement, SqliteValue } from './database.ts';
export type { SqliteCheckpointerOptions } from './options.ts';
