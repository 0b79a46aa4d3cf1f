import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conformance } from '@agent-state/conformance/vitest';
import Database from 'libsql';
import { createSqliteCheckpointer } from './checkpointer.ts';

conformance({
  name: 'sqlite',
  async create() {
    const folder = await mkdtemp(join(tmpdir(), 'agent-state-sqlite-'));
    const path = join(folder, 'threads.db');
    return {
      open: async () => createSqliteCheckpointer({ path }),
      openIn: async (namespace) => createSqliteCheckpointer({ path, namespace }),
      raw: async () => everything(path),
      close: () => rm(folder, { recursive: true }),
    };
  },
});

/** Every value in the file, as text. */
function everything(path: string): string[] {
  const database = new Database(path);
  const tables = database.prepare(`select "name" from sqlite_schema where "type" = 'table'`).all() as { name: string }[];
  const rows = tables.flatMap(({ name }) => database.prepare(`select * from "${name.replaceAll('"', '""')}"`).all());
  database.close();
  return rows.flatMap((row) => Object.entries(row as object).map(([column, value]) => `${column}=${value}`));
}
