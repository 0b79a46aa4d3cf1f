import type Database from 'libsql';
import type { Parts, RawStore } from './raw-store.ts';

const tables = ['heads', 'messages', 'steps'] as const;

type Row = Readonly<Record<string, string | number | null>>;

/** A thread's rows in SQLite, a part a column: `heads.head`, `messages.3.text`. A column that is null is left out. */
export function rowsOf(database: Database.Database): Pick<RawStore, 'read' | 'write'> {
  const rowsIn = (table: string, threadId: string) =>
    database.prepare(`select * from agent_checkpoints_${table} where thread_id = ? order by 1`).all(threadId) as Row[];

  return {
    async read(threadId) {
      const columns = tables.flatMap((table) =>
        rowsIn(table, threadId).flatMap(({ _metadata, ...row }) => {
          const place = row.idx === undefined ? table : `${table}.${row.idx}`;
          return Object.entries(row).flatMap(([name, value]) =>
            value === null ? [] : [[`${place}.${name}`, String(value)]],
          );
        }),
      );
      return Object.fromEntries(columns);
    },
    async write(threadId, parts) {
      database.exec('begin immediate');
      for (const table of tables)
        database.prepare(`delete from agent_checkpoints_${table} where thread_id = ?`).run(threadId);
      for (const [place, row] of byRow(parts)) {
        const names = Object.keys(row);
        const holes = names.map(() => '?').join(', ');
        const [table] = place.split('.');
        database
          .prepare(
            `insert into agent_checkpoints_${table} (${names.map((name) => `"${name}"`).join(', ')}) values (${holes})`,
          )
          .run(...names.map((name) => (name === 'thread_id' ? threadId : row[name])));
      }
      database.exec('commit');
    },
  };
}

function byRow(parts: Parts): Map<string, Record<string, string>> {
  const rows = new Map<string, Record<string, string>>();
  for (const [name, text] of Object.entries(parts)) {
    const at = name.lastIndexOf('.');
    const row = rows.get(name.slice(0, at)) ?? {};
    rows.set(name.slice(0, at), Object.assign(row, { [name.slice(at + 1)]: text }));
  }
  return rows;
}
