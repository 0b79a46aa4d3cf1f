import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteCheckpointer, type SqliteDatabase, type SqliteValue } from '@agent-state/doc-sqlite';
import type { MeasuredStore } from './store.ts';

/** The driver that the adapter itself uses, from where the adapter finds it. */
const requireAsAdapter = createRequire(
  new URL('../../node_modules/@agent-state/doc-sqlite/package.json', import.meta.url),
);
type Driver = new (path: string) => SqliteDatabase & { close(): void };

/** A transaction is a call; its bytes are the values bound in it. */
export async function startSqlite(): Promise<MeasuredStore> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-cost-'));
  const Database = requireAsAdapter('libsql') as Driver;
  const database = new Database(join(folder, 'threads.sqlite'));
  // As the adapter sets up a file that it opens itself.
  database.exec('pragma journal_mode = wal');
  const sent = { calls: 0, bytes: 0 };
  const counting = counted(database, sent);
  return {
    open: () => createSqliteCheckpointer({ database: counting }),
    meter: { read: () => ({ ...sent }) },
    bytesKept: async () => pragma(database, 'page_count') * pragma(database, 'page_size'),
    async stop() {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function counted(database: SqliteDatabase, sent: { calls: number; bytes: number }): SqliteDatabase {
  const bind = (values: readonly SqliteValue[]) => {
    sent.bytes += values.reduce<number>((sum, value) => sum + sizeOf(value), 0);
  };
  return {
    exec(sql) {
      if (sql.startsWith('begin')) sent.calls += 1;
      return database.exec(sql);
    },
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        all(...values) {
          bind(values);
          return statement.all(...values);
        },
        run(...values) {
          bind(values);
          return statement.run(...values);
        },
      };
    },
    get inTransaction() {
      return database.inTransaction ?? false;
    },
    memory: false,
  };
}

function sizeOf(value: SqliteValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value === null ? 0 : 8;
}

function pragma(database: SqliteDatabase, name: string): number {
  const [row] = database.prepare(`pragma ${name}`).all() as Readonly<Record<string, number>>[];
  return row?.[name] ?? 0;
}
