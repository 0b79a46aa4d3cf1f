import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { createSqliteCheckpointer } from './checkpointer.ts';
import type { SqliteDatabase } from './database.ts';

it.each([
  ['neither a path nor a database', {}, 'path'],
  ['both', { path: ':memory:', database: { exec() {}, prepare: () => ({ all: () => [], run() {} }) } }, 'path'],
  ['an empty path', { path: '' }, 'path'],
  ['a folder', { path: tmpdir() }, 'path'],
  ['a handle of another shape', { database: {} as SqliteDatabase }, 'database'],
  ['an empty namespace', { path: ':memory:', namespace: '' }, 'namespace'],
  ['a timeout of 0', { path: ':memory:', busyTimeoutMs: 0 }, 'busyTimeoutMs'],
  ['a limit that is no number', { path: ':memory:', maxMessageBytes: Number.NaN }, 'maxMessageBytes'],
])('refuses %s when it is made', (_what, options, path) => {
  expect(() => createSqliteCheckpointer(options)).toThrow(expect.objectContaining({ code: 'configuration', path }));
});

it('[S-CFG-06] refuses one that is misspelt, with those that there are', () => {
  const misspelt = { path: ':memory:', tlt: 60 };
  expect(() => createSqliteCheckpointer(misspelt)).toThrow(/tlt.*namespace/);
});

it('says of a database in memory that it does not outlive the process', () => {
  expect(createSqliteCheckpointer({ path: ':memory:' }).capabilities.durable).toBe(false);
});
