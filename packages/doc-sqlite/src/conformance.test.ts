import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conformance } from '@agent-state/conformance/vitest';
import Database from 'libsql';
import { everything } from '../test/everything.ts';
import { createSqliteCheckpointer } from './checkpointer.ts';

conformance({
  name: 'sqlite',
  async create() {
    const folder = await mkdtemp(join(tmpdir(), 'agent-state-sqlite-'));
    const path = join(folder, 'threads.db');
    return {
      open: async () => createSqliteCheckpointer({ path }),
      openIn: async (namespace) => createSqliteCheckpointer({ path, namespace }),
      raw: async () => everything(new Database(path)),
      close: () => rm(folder, { recursive: true }),
    };
  },
});
