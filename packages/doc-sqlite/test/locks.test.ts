import { join } from 'node:path';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { isAgentStateError } from '@agent-state/core';
import Database from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { createSqliteCheckpointer } from '../src/checkpointer.ts';
import { startChild } from './children.ts';
import { temporaryFolder } from './temporary-folder.ts';

const state = { history: [{ role: 'user' as const, content: 'hello' }] };

async function lockedFile() {
  const path = join(temporaryFolder(), 'threads.db');
  await createSqliteCheckpointer({ path }).save('before', { state });
  const holder = startChild('lock.mjs', path);
  onTestFinished(() => holder.kill());
  await holder.said('locked');
  return { path, holder };
}

it('[G1] goes on trying while another process holds the lock, and saves when it is free', async () => {
  const { path, holder } = await lockedFile();
  const saving = createSqliteCheckpointer({ path, busyTimeoutMs: 20_000 }).save('thread', { state });
  await expect(Promise.race([saving, late(300)])).resolves.toBe('late');
  await holder.kill();
  expect((await saving).revision).toBe(1);
});

it('[G1] says unavailable, not applied, when the lock stays, and never blocks the event loop meanwhile', async () => {
  const { path } = await lockedFile();
  const checkpointer = createSqliteCheckpointer({ path, busyTimeoutMs: 1_000 });
  await checkpointer.load('before');
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const error = await checkpointer.save('thread', { state }).catch((caught: unknown) => caught);
  delay.disable();
  expect(error).toMatchObject({ code: 'unavailable', applied: 'no', cause: { code: 'SQLITE_BUSY' } });
  expectFlowing(delay);
});

it('[G1] reads while another process holds the lock, also through a connection that is opened then', async () => {
  const { path } = await lockedFile();
  const checkpointer = createSqliteCheckpointer({ path, busyTimeoutMs: 100 });
  expect((await checkpointer.load('before')).found).toBe(true);
  expect((await checkpointer.list()).threads).toHaveLength(1);
});

it('[G1] does not block with a given handle that has a busy timeout of its own, and leaves it that timeout', async () => {
  const { path } = await lockedFile();
  const database = new Database(path, { timeout: 5_000 });
  const checkpointer = createSqliteCheckpointer({ database, busyTimeoutMs: 500 });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const error = await checkpointer.save('thread', { state }).catch((caught: unknown) => caught);
  delay.disable();
  expect(isAgentStateError(error, 'unavailable')).toBe(true);
  expectFlowing(delay);
  expect(database.prepare('pragma busy_timeout').get()).toMatchObject({ timeout: 5_000 });
});

it('reads what the holder of a lock wrote, where the lock kept readers out as well', async () => {
  const path = join(temporaryFolder(), 'threads.db');
  // In the journal of a file that was given, a lock keeps readers out as well.
  const other = new Database(path);
  await createSqliteCheckpointer({ database: other }).save('before', { state });
  other.exec(`begin exclusive; update agent_checkpoints_heads set revision = 7`);
  const loading = createSqliteCheckpointer({ path, busyTimeoutMs: 20_000 }).load('before');
  await expect(Promise.race([loading, late(100)])).resolves.toBe('late');
  other.exec('commit');
  expect(await loading).toMatchObject({ revision: 7 });
});

it('ends a call that waits for a lock when it is closed', async () => {
  const { path } = await lockedFile();
  const checkpointer = createSqliteCheckpointer({ path, busyTimeoutMs: 20_000 });
  const saving = checkpointer.save('thread', { state }).catch((error: unknown) => error);
  await checkpointer.close();
  expect(await saving).toMatchObject({ code: 'closed' });
});

/**
 * Blocked for no longer than 50 ms, one turn in a hundred left out: that one is for other processes that use the
 * machine at the same time. A wait inside SQLite would be one turn of a second, which the second bound sees.
 */
function expectFlowing(delay: IntervalHistogram): void {
  expect(delay.count).toBeGreaterThan(50);
  expect(delay.percentile(99) / 1e6).toBeLessThan(50);
  expect(delay.max / 1e6).toBeLessThan(400);
}

function late(ms: number): Promise<string> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, 'late');
  });
}
