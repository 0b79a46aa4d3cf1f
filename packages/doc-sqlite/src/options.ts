import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AgentStateError, type KnownOptions, type Runtime } from '@agent-state/core';
import type { SqliteDatabase } from './database.ts';
import { fileSource, givenSource, memorySource, type Source } from './source.ts';

export interface SqliteCheckpointerOptions {
  /** The file; made where it does not exist, its folder is not. `:memory:` is a database gone on close. */
  readonly path?: string;
  /** A handle of libsql, better-sqlite3 or node:sqlite instead of a path. It is never closed or reconfigured. */
  readonly database?: SqliteDatabase;
  /** Keeps table sets in one file apart. Default `agent_checkpoints`. */
  readonly namespace?: string;
  /** The largest message, in bytes of JSON. Default 16,000,000. */
  readonly maxMessageBytes?: number;
  /** How long a call goes on trying while another process holds the lock, in milliseconds. Default 2,000. */
  readonly busyTimeoutMs?: number;
  /** Where time, chance and ids come from. Default: the system's. */
  readonly runtime?: Runtime;
}

export const knownOptions: KnownOptions<SqliteCheckpointerOptions> = {
  path: true,
  database: true,
  namespace: true,
  maxMessageBytes: true,
  busyTimeoutMs: true,
  runtime: true,
};

/** Where the connections come from. What cannot work is said here, at the start, as `configuration`. */
export function sourceOf({ path, database }: Pick<SqliteCheckpointerOptions, 'path' | 'database'>): Source {
  if ((path === undefined) === (database === undefined)) {
    throw misconfigured('path', 'Give either a path or a database.');
  }
  if (database !== undefined) return givenSource(asDatabase(database));
  if (typeof path !== 'string' || path === '') throw misconfigured('path', 'The path has to be a string.');
  return path === ':memory:' ? memorySource() : fileSource(filePath(path));
}

export function assertPositive(path: string, value: number): void {
  if (Number.isSafeInteger(value) && value > 0) return;
  throw misconfigured(path, `${path} has to be a whole number above 0.`);
}

export function misconfigured(path: string, message: string): AgentStateError {
  return new AgentStateError('configuration', message, { path });
}

function asDatabase(database: SqliteDatabase): SqliteDatabase {
  const fits = typeof database?.exec === 'function' && typeof database.prepare === 'function';
  if (!fits) throw misconfigured('database', 'The database has to be a handle with exec and prepare.');
  return database;
}

/** Absolute, so that it means the same for the life of the process, and is a path to SQLite and never a URI. */
function filePath(path: string): string {
  const absolute = resolve(path);
  const folder = dirname(absolute);
  if (!isFolder(folder)) throw misconfigured('path', `The folder of the SQLite file does not exist: ${folder}`);
  if (isFolder(absolute)) throw misconfigured('path', `The path of the SQLite file is a folder: ${absolute}`);
  return absolute;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
