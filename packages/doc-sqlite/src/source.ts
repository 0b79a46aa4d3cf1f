import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import Database from 'libsql';
import { type Connection, connectionOf, isInMemory, type SqliteDatabase } from './database.ts';
import { unavailable } from './errors.ts';

/** Where connections come from. */
export interface Source {
  /** Whether what is stored outlives the process. */
  readonly durable: boolean;
  /** Whether the file is ours to set up: its journal and how it syncs. */
  readonly owned: boolean;
  /** The connection, opened where it is not. Throws `unavailable`. */
  connect(): Connection;
  /** Makes the next `connect` open a new connection; does nothing where that would lose data or is not ours to do. */
  drop(): void;
  close(): void;
}

/** A handle of the caller's. It is neither closed nor replaced. */
export function givenSource(database: SqliteDatabase): Source {
  const connection = connectionOf(database);
  return { durable: !isInMemory(database), owned: false, connect: () => connection, drop() {}, close() {} };
}

/** A database in memory: gone with its only connection. */
export function memorySource(): Source {
  let database: Database.Database | undefined;
  let connection: Connection | undefined;
  return {
    durable: false,
    owned: true,
    connect() {
      database ??= new Database(':memory:');
      connection ??= connectionOf(database);
      return connection;
    },
    drop() {},
    close() {
      database?.close();
    },
  };
}

/** A file at an absolute path. Once it has been open it is never made anew: a file that is gone is an outage. */
export function fileSource(path: string): Source {
  let open:
    | { readonly database: Database.Database; readonly connection: Connection; readonly file: string }
    | undefined;
  let seen = false;

  const drop = () => {
    open?.database.close();
    open = undefined;
  };
  return {
    durable: true,
    owned: true,
    connect() {
      const file = identityOf(path);
      if (open?.file === file) return open.connection;
      drop();
      if (seen && file === null) throw unavailable(`The SQLite file is gone: ${path}`);
      const database = openFile(path);
      open = { database, connection: connectionOf(database), file: identityOf(path) ?? '' };
      seen = true;
      return open.connection;
    },
    drop,
    close() {
      if (open) checkpoint(open.connection);
      drop();
    },
  };
}

/**
 * Which file is at the path, or null. SQLite itself goes on writing to a file that was removed or replaced, and calls
 * that stored.
 */
function identityOf(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino}` : null;
}

function openFile(path: string): Database.Database {
  try {
    createPrivately(path);
    return new Database(path, { timeout: 0 });
  } catch (error) {
    throw unavailable(`The SQLite file cannot be opened: ${path}`, error);
  }
}

/**
 * A new file is for its owner alone: it holds conversations. Only ever created here, never opened and closed, for
 * closing a file drops every lock that this process has on it.
 */
function createPrivately(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Brings everything into the one file. A courtesy: what was acknowledged is in the log beside it otherwise. */
function checkpoint(connection: Connection): void {
  try {
    connection.rows('pragma wal_checkpoint(truncate)');
  } catch {
    // Somebody else is reading or writing: the last one to close does it.
  }
}
