import { join } from 'node:path';
import { systemRuntime } from '@agent-state/core';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { createSession } from '../src/session.ts';
import { fileSource } from '../src/source.ts';
import { tablesOf } from '../src/tables.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A session on a file whose connections are counted. */
function counted(path: string) {
  const source = fileSource(path);
  const connections = new Set<object>();
  const connect = () => {
    const connection = source.connect();
    connections.add(connection);
    return connection;
  };
  const options = { busyTimeoutMs: 60, runtime: systemRuntime };
  const session = createSession({ ...source, connect }, tablesOf('threads'), options);
  return { session, connections };
}

const locked = { code: 'unavailable', applied: 'no' };

it('takes a new connection after a prepared statement met a lock: the old one may be on an old snapshot', async () => {
  const path = join(temporaryFolder(), 'threads.db');
  const { session, connections } = counted(path);
  const holder = new Database(path);
  // In this journal a lock keeps out readers too, so that it is a statement that meets it.
  holder.exec('create table other (a); begin exclusive');
  await expect(session.run('read', () => 'read')).rejects.toMatchObject(locked);
  expect(connections.size).toBeGreaterThan(1);
  holder.exec('rollback');
  expect(await session.run('read', () => 'read')).toBe('read');
});

it('keeps its connection where the lock was met when the transaction began', async () => {
  const path = join(temporaryFolder(), 'threads.db');
  const { session, connections } = counted(path);
  await session.run('read', () => undefined);
  const holder = new Database(path);
  holder.exec('begin immediate');
  await expect(session.run('write', () => 'written')).rejects.toMatchObject(locked);
  expect(connections.size).toBe(1);
});

it('rolls back what failed work wrote', async () => {
  const { session } = counted(join(temporaryFolder(), 'threads.db'));
  const { tombstones } = tablesOf('threads');
  const failing = session.run('write', (connection) => {
    connection.run(`insert into ${tombstones} values ('thread', 'etag', 1)`);
    throw new Error('mine');
  });
  await expect(failing).rejects.toMatchObject({ code: 'unavailable', cause: { message: 'mine' } });
  expect(await session.run('read', (connection) => connection.rows(`select * from ${tombstones}`))).toEqual([]);
});
