export type SqliteValue = string | number | null;

/** What is used of a statement of libsql, better-sqlite3 and node:sqlite. */
export interface SqliteStatement {
  all(...values: SqliteValue[]): unknown[];
  run(...values: SqliteValue[]): unknown;
}

/** What is used of a handle of libsql, better-sqlite3 (`Database`) and node:sqlite (`DatabaseSync`). */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  /** libsql and better-sqlite3: false once it is closed. */
  readonly open?: boolean;
  /** libsql and better-sqlite3: whether a transaction is open. */
  readonly inTransaction?: boolean;
  /** node:sqlite: the same. */
  readonly isTransaction?: boolean;
  /** libsql and better-sqlite3: whether it is a database in memory. */
  readonly memory?: boolean;
  /** node:sqlite: the file, or null for a database in memory. */
  location?(): string | null;
}

/** A handle with its statements, each prepared once. */
export interface Connection {
  readonly database: SqliteDatabase;
  rows(sql: string, ...values: SqliteValue[]): Record<string, unknown>[];
  run(sql: string, ...values: SqliteValue[]): void;
}

export function connectionOf(database: SqliteDatabase): Connection {
  const statements = new Map<string, SqliteStatement>();
  const statement = (sql: string): SqliteStatement => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  return Object.freeze<Connection>({
    database,
    // `all` and not `get`: a statement that was not read to its end would keep its snapshot open.
    rows: (sql, ...values) => statement(sql).all(...values) as Record<string, unknown>[],
    run(sql, ...values) {
      statement(sql).run(...values);
    },
  });
}

export function isInTransaction(database: SqliteDatabase): boolean {
  // Asked when it is closed, libsql's `inTransaction` ends the process (a panic in its native half).
  if (database.open === false) return false;
  return database.inTransaction === true || database.isTransaction === true;
}

/** Whether what the handle stores ends with it. */
export function isInMemory(database: SqliteDatabase): boolean {
  return database.memory === true || (typeof database.location === 'function' && database.location() === null);
}
