import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAgentStateError } from '@agent-state/core';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { createSqliteCheckpointer } from '../src/checkpointer.ts';
import { temporaryFolder } from './temporary-folder.ts';

const stateOf = (content: string) => ({ history: [{ role: 'user' as const, content }] });
const state = stateOf('hello');
const errorOf = (call: Promise<unknown>) => call.then(() => undefined).catch((error: unknown) => error);

it('[G2] stores nothing of a save that the disk has no room for, keeps the cause, and goes on after', async () => {
  const database = new Database(join(temporaryFolder(), 'threads.db'));
  const checkpointer = createSqliteCheckpointer({ database });
  const base = await checkpointer.save('thread', { state });
  const { page_count: pages } = database.prepare('pragma page_count').get() as { page_count: number };
  database.exec(`pragma max_page_count = ${pages + 20}`);
  const error = await errorOf(checkpointer.save('thread', { state: stateOf('x'.repeat(500_000)), base }));
  expect(error).toMatchObject({ code: 'unavailable', applied: 'no', cause: { code: 'SQLITE_FULL' } });
  expect(await checkpointer.load('thread')).toMatchObject({ revision: 1, state });
  expect((await checkpointer.save('thread', { state: stateOf('small'), base })).revision).toBe(2);
});

it('[G3] says at the start that the folder is missing, and which', () => {
  const folder = join(temporaryFolder(), 'missing');
  const create = () => createSqliteCheckpointer({ path: join(folder, 'threads.db') });
  expect(create).toThrow(expect.objectContaining({ code: 'configuration', path: 'path' }));
  expect(create).toThrow(folder);
});

it('[G3] is unavailable while the file is gone, never writes to the removed one, and goes on when it is back', async () => {
  const folder = temporaryFolder();
  const [path, aside] = [join(folder, 'threads.db'), join(folder, 'aside.db')];
  const checkpointer = createSqliteCheckpointer({ path });
  const base = await checkpointer.save('thread', { state });
  // All of it is in the one file then, as it would be after the last process has closed it.
  new Database(path).prepare('pragma wal_checkpoint(truncate)').all();
  renameSync(path, aside);
  const write = { state: stateOf('again'), base };
  expect(await errorOf(checkpointer.save('thread', write))).toMatchObject({ code: 'unavailable', applied: 'no' });
  expect(await errorOf(checkpointer.load('thread'))).toMatchObject({ code: 'unavailable' });
  expect(existsSync(path)).toBe(false);
  renameSync(aside, path);
  expect((await checkpointer.save('thread', write)).revision).toBe(2);
});

it('[G3] is unavailable when the folder is removed after the start', async () => {
  const folder = join(temporaryFolder(), 'data');
  mkdirSync(folder);
  const [early, late] = [0, 1].map((n) => createSqliteCheckpointer({ path: join(folder, `${n}.db`) }));
  await early?.save('thread', { state });
  rmSync(folder, { recursive: true });
  expect(await errorOf(early?.load('thread') as Promise<unknown>)).toMatchObject({ code: 'unavailable' });
  expect(await errorOf(late?.load('thread') as Promise<unknown>)).toMatchObject({ code: 'unavailable' });
});

it('[G3] reads what it may not write, and says unavailable to a save', async () => {
  const database = new Database(join(temporaryFolder(), 'threads.db'));
  await createSqliteCheckpointer({ database }).save('thread', { state });
  database.exec('pragma query_only = on');
  const checkpointer = createSqliteCheckpointer({ database });
  expect(await checkpointer.load('thread')).toMatchObject({ state });
  expect(await errorOf(checkpointer.save('other', { state }))).toMatchObject({ code: 'unavailable', applied: 'no' });
});

it('goes over to the file that was put in the place of the old one', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'threads.db');
  const checkpointer = createSqliteCheckpointer({ path });
  await checkpointer.save('thread', { state });
  const backup = createSqliteCheckpointer({ path: join(folder, 'backup.db') });
  await backup.save('other', { state });
  await backup.close();
  rmSync(`${path}-wal`);
  rmSync(`${path}-shm`);
  renameSync(join(folder, 'backup.db'), path);
  expect((await checkpointer.load('other')).found).toBe(true);
  expect((await checkpointer.load('thread')).found).toBe(false);
});

it.each([
  ['text', 'this is no database. '.repeat(400)],
  ['a short text', 'xy'],
])('[G4] calls a file of %s corrupt, and leaves it as it is', async (_what, content) => {
  const path = join(temporaryFolder(), 'threads.db');
  writeFileSync(path, content);
  const checkpointer = createSqliteCheckpointer({ path });
  expect(await errorOf(checkpointer.load('thread'))).toMatchObject({ code: 'corrupt' });
  expect(await errorOf(checkpointer.save('thread', { state }))).toMatchObject({ code: 'corrupt' });
  await checkpointer.close();
  expect(readFileSync(path, 'utf8')).toBe(content);
});

it('[G4] calls a database with an overwritten header corrupt, and leaves it as it is', async () => {
  const path = join(temporaryFolder(), 'threads.db');
  const before = createSqliteCheckpointer({ path });
  await before.save('thread', { state });
  await before.close();
  const bytes = readFileSync(path);
  bytes.fill('overwritten', 0, 100);
  const damaged = join(temporaryFolder(), 'damaged.db');
  writeFileSync(damaged, bytes);
  const checkpointer = createSqliteCheckpointer({ path: damaged });
  expect(await errorOf(checkpointer.load('thread'))).toMatchObject({ code: 'corrupt' });
  expect(await errorOf(checkpointer.save('thread', { state }))).toMatchObject({ code: 'corrupt' });
  expect(readFileSync(damaged).equals(bytes)).toBe(true);
});

it('refuses tables of a newer layout, also when they change under it, and writes nothing', async () => {
  const path = join(temporaryFolder(), 'threads.db');
  const checkpointer = createSqliteCheckpointer({ path });
  const base = await checkpointer.save('thread', { state });
  const other = new Database(path);
  other.exec(`update agent_checkpoints_meta set value = 2 where key = 'layout'`);
  const before = other.prepare('select * from agent_checkpoints_heads').all().map(withoutTiming);
  for (const subject of [checkpointer, createSqliteCheckpointer({ path })]) {
    expect(await errorOf(subject.load('thread'))).toMatchObject({ code: 'schema_too_new' });
    expect(await errorOf(subject.save('thread', { state, base }))).toMatchObject({ code: 'schema_too_new' });
    expect(await errorOf(subject.save('thread', { state }))).toMatchObject({ code: 'schema_too_new' });
    expect(await errorOf(subject.delete('thread'))).toMatchObject({ code: 'schema_too_new' });
    expect(await errorOf(subject.list())).toMatchObject({ code: 'schema_too_new' });
  }
  expect(other.prepare('select * from agent_checkpoints_heads').all().map(withoutTiming)).toEqual(before);
});

it('calls tables of the same name that are not its own corrupt', async () => {
  const path = join(temporaryFolder(), 'threads.db');
  const other = new Database(path);
  other.exec('create table agent_checkpoints_meta (name text); insert into agent_checkpoints_meta values (1)');
  expect(await errorOf(createSqliteCheckpointer({ path }).save('thread', { state }))).toMatchObject({
    code: 'corrupt',
  });
  other.exec('drop table agent_checkpoints_meta');
  other.exec('create table agent_checkpoints_steps (name text)');
  expect(await errorOf(createSqliteCheckpointer({ path }).save('thread', { state }))).toMatchObject({
    code: 'corrupt',
  });
  expect(other.prepare('select name from sqlite_schema').all().map(withoutTiming)).toEqual([
    { name: 'agent_checkpoints_steps' },
  ]);
});

it('makes a new file for its owner alone, and leaves the mode of an old one', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'threads.db');
  const checkpointer = createSqliteCheckpointer({ path });
  await checkpointer.save('thread', { state });
  for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
  const shared = join(folder, 'shared.db');
  writeFileSync(shared, '', { mode: 0o644 });
  await createSqliteCheckpointer({ path: shared }).save('thread', { state });
  expect(statSync(shared).mode & 0o777).toBe(0o644);
});

it('leaves no byte of a deleted thread in the file', async () => {
  const path = join(temporaryFolder(), 'threads.db');
  const checkpointer = createSqliteCheckpointer({ path });
  await checkpointer.save('thread', { state: stateOf('a-secret-of-mine '.repeat(1_000)) });
  await checkpointer.delete('thread');
  await checkpointer.close();
  expect(readFileSync(path).includes('a-secret-of-mine')).toBe(false);
});

it('commits to the disk before it acknowledges, by a log that readers do not wait for', async () => {
  const path = join(temporaryFolder(), 'threads.db');
  const checkpointer = createSqliteCheckpointer({ path });
  expect(checkpointer.capabilities.durable).toBe(true);
  await checkpointer.save('thread', { state });
  expect(new Database(path).prepare('pragma journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
});

it('opens the file anew after a reset, and loses nothing by it', async () => {
  const checkpointer = createSqliteCheckpointer({ path: join(temporaryFolder(), 'threads.db') });
  const base = await checkpointer.save('thread', { state });
  checkpointer.reset();
  expect((await checkpointer.save('thread', { state, base })).revision).toBe(2);
  const memory = createSqliteCheckpointer({ path: ':memory:' });
  await memory.save('thread', { state });
  memory.reset();
  expect((await memory.load('thread')).found).toBe(true);
});

it('shows no content in an error of a statement', async () => {
  const database = new Database(':memory:');
  const checkpointer = createSqliteCheckpointer({ database });
  await checkpointer.load('thread');
  database.exec('create trigger no before insert on agent_checkpoints_messages begin select raise(abort, "no"); end');
  const error = await errorOf(checkpointer.save('thread', { state: stateOf('my-secret') }));
  expect(isAgentStateError(error)).toBe(true);
  expect(JSON.stringify([error, (error as Error).cause, (error as Error).stack, String(error)])).not.toContain(
    'secret',
  );
  expect((await checkpointer.load('thread')).found).toBe(false);
});

function withoutTiming(row: unknown): unknown {
  const { _metadata, ...columns } = row as Record<string, unknown>;
  return columns;
}
