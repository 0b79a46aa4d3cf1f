import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conformance } from '@agent-state/conformance/vitest';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { createSqliteCheckpointer } from '../src/checkpointer.ts';
import type { SqliteDatabase } from '../src/database.ts';
import { everything } from './everything.ts';
import { temporaryFolder } from './temporary-folder.ts';

type NodeSqlite = { readonly DatabaseSync: new (path: string) => SqliteDatabase & { close(): void } };

/** There from Node 22.5 on. */
const nodeSqlite = process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as NodeSqlite | undefined;

const state = { history: [{ role: 'user' as const, content: 'hello' }] };
const handles = [
  { driver: 'libsql', open: (path: string) => new Database(path) },
  ...(nodeSqlite ? [{ driver: 'node:sqlite', open: (path: string) => new nodeSqlite.DatabaseSync(path) }] : []),
];

describe.each(handles)('a handle of $driver', ({ driver, open }) => {
  conformance({
    name: `sqlite over ${driver}`,
    async create() {
      const folder = mkdtempSync(join(tmpdir(), 'agent-state-sqlite-'));
      const path = join(folder, 'threads.db');
      return {
        open: async () => createSqliteCheckpointer({ database: open(path) }),
        openIn: async (namespace) => createSqliteCheckpointer({ database: open(path), namespace }),
        raw: async () => everything(open(path)),
        close: async () => rmSync(folder, { recursive: true, force: true }),
      };
    },
  });

  it('is not closed with the checkpointer', async () => {
    const database = open(':memory:');
    const checkpointer = createSqliteCheckpointer({ database });
    await checkpointer.save('thread', { state });
    await checkpointer.close();
    expect(database.prepare('select * from agent_checkpoints_heads').all()).toHaveLength(1);
  });

  it('is known to be in memory, or not', () => {
    const durable = (path: string) => createSqliteCheckpointer({ database: open(path) }).capabilities.durable;
    expect(durable(':memory:')).toBe(false);
    expect(durable(join(temporaryFolder(), 'threads.db'))).toBe(true);
  });

  it('waits for a transaction of its owner, and takes no part in it', async () => {
    const database = open(':memory:');
    const checkpointer = createSqliteCheckpointer({ database });
    await checkpointer.load('thread');
    database.exec('begin');
    const saving = checkpointer.save('thread', { state });
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    database.exec('rollback');
    await saving;
    expect((await checkpointer.load('thread')).found).toBe(true);
  });

  it('is unavailable while a transaction of its owner goes on', async () => {
    const database = open(':memory:');
    database.exec('begin');
    const saving = createSqliteCheckpointer({ database, busyTimeoutMs: 50 }).save('thread', { state });
    await expect(saving).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
  });

  it('is unavailable once its owner has closed it', async () => {
    const database = open(':memory:');
    const checkpointer = createSqliteCheckpointer({ database });
    await checkpointer.save('thread', { state });
    database.close();
    await expect(checkpointer.load('thread')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('meets the lock of another handle on its file', async () => {
    const path = join(temporaryFolder(), 'threads.db');
    const other = open(path);
    const checkpointer = createSqliteCheckpointer({ database: open(path), busyTimeoutMs: 50 });
    await checkpointer.save('thread', { state });
    other.exec('begin immediate');
    await expect(checkpointer.save('other', { state })).rejects.toMatchObject({ code: 'unavailable', applied: 'no' });
    other.exec('rollback');
    expect((await checkpointer.save('other', { state })).revision).toBe(1);
  });
});
