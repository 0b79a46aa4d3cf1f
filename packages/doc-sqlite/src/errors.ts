import { AgentStateError, isAgentStateError } from '@agent-state/core';

/** SQLite's primary result codes that mean something here. */
const codes = {
  ERROR: 1,
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  SCHEMA: 17,
  TOOBIG: 18,
  CONSTRAINT: 19,
  MISMATCH: 20,
  AUTH: 23,
  NOTADB: 26,
} as const;

type CodeName = keyof typeof codes;

/**
 * The primary result code of a driver's error: libsql has it as `rawCode`, node:sqlite as `errcode`, better-sqlite3
 * as a name (`SQLITE_BUSY_SNAPSHOT`). Undefined for what is no error of SQLite's.
 */
export function sqliteCode(error: unknown): CodeName | 'OTHER' | undefined {
  const { rawCode, errcode, code } = (error ?? {}) as { rawCode?: unknown; errcode?: unknown; code?: unknown };
  const number = typeof rawCode === 'number' ? rawCode : errcode;
  const names = Object.keys(codes) as CodeName[];
  if (typeof number === 'number') return names.find((name) => codes[name] === (number & 0xff)) ?? 'OTHER';
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return undefined;
  return names.find((name) => code === `SQLITE_${name}` || code.startsWith(`SQLITE_${name}_`)) ?? 'OTHER';
}

/** Whether somebody else's lock was in the way, so that the same may succeed in a moment. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === 'BUSY' || code === 'LOCKED';
}

/** What a driver threw, as the error of the protocol that it is. */
export function toError(error: unknown, applied: 'no' | 'maybe'): AgentStateError {
  if (isAgentStateError(error)) return error;
  const code = sqliteCode(error);
  switch (code) {
    case 'NOTADB':
    case 'CORRUPT':
      return new AgentStateError('corrupt', 'The file is not a database, or is damaged. It is left as it is.', {
        cause: error,
      });
    case 'ERROR':
    case 'SCHEMA':
    case 'CONSTRAINT':
    case 'MISMATCH':
      return new AgentStateError('corrupt', 'The tables are not those of this library. They are left as they are.', {
        cause: error,
      });
    case 'PERM':
    case 'AUTH':
      return new AgentStateError('denied', 'SQLite does not permit this.', { cause: error });
    case 'TOOBIG':
      return new AgentStateError('too_large', 'A row is larger than SQLite holds. Nothing was written.', {
        cause: error,
      });
    case 'FULL':
      return unavailable('The disk is full, or the database is at its limit.', error, applied);
    default:
      return unavailable(`SQLite did not do it (${code ?? 'an error of the driver'}).`, error, applied);
  }
}

export function unavailable(message: string, cause?: unknown, applied: 'no' | 'maybe' = 'no'): AgentStateError {
  return new AgentStateError('unavailable', message, { applied, ...(cause === undefined ? {} : { cause }) });
}
