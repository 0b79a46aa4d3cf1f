import type { Connection } from './database.ts';
import { assertLayout, isLaidOut, layOut } from './layout.ts';
import { removeExpired } from './sweep.ts';
import type { Tables } from './tables.ts';
import { type Outcome, transact } from './transaction.ts';

/**
 * Makes a new connection ready: the file's settings where it is ours, the tables where there are none, and expired
 * threads removed. A file that cannot be read or is of a newer release is refused before anything is written.
 */
export function setUp(connection: Connection, tables: Tables, owned: boolean, now: number): Outcome<unknown> {
  const known = transact(connection, 'read', () => {
    if (!isLaidOut(connection, tables)) return false;
    assertLayout(connection, tables);
    return true;
  });
  if (!known.done) return known;
  if (owned) useLog(connection);
  const written = transact(connection, 'write', () => {
    layOut(connection, tables);
    assertLayout(connection, tables);
    removeExpired(connection, tables, now);
  });
  // Where the tables are there, only the removal did not happen: reading must not wait for another's lock.
  return known.result ? known : written;
}

/** Readers do not wait for a writer, and a commit is on the disk when it is acknowledged. */
function useLog(connection: Connection): void {
  const [row] = connection.rows('pragma journal_mode');
  if (row?.journal_mode !== 'wal') connection.rows('pragma journal_mode = wal');
  connection.database.exec('pragma synchronous = full; pragma secure_delete = on;');
}
