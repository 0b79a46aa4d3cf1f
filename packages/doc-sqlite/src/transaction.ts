import type { Connection, SqliteDatabase } from './database.ts';

/** What went wrong in a transaction, and where. Nothing is stored, unless it is `commit` that failed. */
export interface Failure {
  readonly error: unknown;
  readonly at: 'begin' | 'work' | 'commit';
}

export type Outcome<T> = { readonly done: true; readonly result: T } | ({ readonly done: false } & Failure);

/**
 * All of `work` in one transaction, synchronously. One that writes takes the lock at its start, by `exec`: a
 * transaction that finds the lock taken half-way, or a prepared statement that does, leaves the connection on its old
 * snapshot even after a rollback.
 */
export function transact<T>(connection: Connection, mode: 'read' | 'write', work: () => T): Outcome<T> {
  const { database } = connection;
  let at: Failure['at'] = 'begin';
  try {
    database.exec(mode === 'write' ? 'begin immediate' : 'begin');
    at = 'work';
    const result = work();
    at = 'commit';
    database.exec('commit');
    return { done: true, result };
  } catch (error) {
    if (at !== 'begin') rollBack(database);
    return { done: false, error, at };
  }
}

/** After some errors (a full disk) SQLite has rolled back already; a second one would throw over the cause. */
function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch {
    // Either there was nothing to roll back, or the error that led here says what is wrong with this database.
  }
}

/**
 * `work` with a busy timeout of 0: SQLite would wait inside the call, and the whole process with it. A handle that was
 * given may have another one (better-sqlite3's default is 5 seconds); it has it again afterwards.
 */
export function withoutWaiting<T>(connection: Connection, work: () => T): T {
  const [row] = connection.rows('pragma busy_timeout');
  const ms = Number(row?.timeout ?? 0);
  if (!(ms > 0)) return work();
  connection.database.exec('pragma busy_timeout = 0');
  try {
    return work();
  } finally {
    connection.database.exec(`pragma busy_timeout = ${ms}`);
  }
}
