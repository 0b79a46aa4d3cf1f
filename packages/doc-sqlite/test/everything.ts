import type { SqliteDatabase } from '../src/database.ts';

/** Every value in the database, as text. */
export function everything(database: SqliteDatabase): string[] {
  const tables = database.prepare(`select "name" from sqlite_schema where "type" = 'table'`).all() as {
    name: string;
  }[];
  const rows = tables.flatMap(({ name }) => database.prepare(`select * from "${name.replaceAll('"', '""')}"`).all());
  return rows.flatMap((row) => Object.entries(row as object).map(([column, value]) => `${column}=${value}`));
}
