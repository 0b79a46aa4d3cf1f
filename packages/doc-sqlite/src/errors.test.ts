import { AgentStateError } from '@agent-state/core';
import { expect, it } from 'vitest';
import { isBusy, sqliteCode, toError } from './errors.ts';

const libsql = (rawCode: number, code: string) => Object.assign(new Error('said'), { rawCode, code });
const better = (code: string) => Object.assign(new Error('said'), { code });
const node = (errcode: number) => Object.assign(new Error('said'), { code: 'ERR_SQLITE_ERROR', errcode });

it.each([
  ['libsql', libsql(5, 'SQLITE_BUSY')],
  ['libsql, extended', libsql(517, 'SQLITE_BUSY_SNAPSHOT')],
  ['better-sqlite3', better('SQLITE_BUSY')],
  ['better-sqlite3, extended', better('SQLITE_BUSY_SNAPSHOT')],
  ['node:sqlite', node(5)],
  ['node:sqlite, extended', node(517)],
  ['a lock in shared cache', better('SQLITE_LOCKED_SHAREDCACHE')],
])('knows a lock of somebody else in the error of %s', (_driver, error) => {
  expect(isBusy(error)).toBe(true);
});

it.each([
  [10, 'unavailable'],
  [14, 'unavailable'],
  [13, 'unavailable'],
  [8, 'unavailable'],
  [5, 'unavailable'],
  [11, 'corrupt'],
  [26, 'corrupt'],
  [1, 'corrupt'],
  [23, 'denied'],
  [18, 'too_large'],
])('calls the result code %i %s, and keeps the cause', (number, code) => {
  const error = node(number);
  expect(toError(error, 'no')).toMatchObject({ code, cause: error });
});

it('says whether a write may have been applied', () => {
  expect(toError(node(10), 'no').applied).toBe('no');
  expect(toError(node(10), 'maybe').applied).toBe('maybe');
});

it('calls anything else that a driver throws unavailable', () => {
  expect(sqliteCode(new TypeError('The database connection is not open'))).toBeUndefined();
  expect(toError(new TypeError('The database connection is not open'), 'no').code).toBe('unavailable');
});

it('passes an error of the protocol on', () => {
  const error = new AgentStateError('schema_too_new', 'said');
  expect(toError(error, 'no')).toBe(error);
});
