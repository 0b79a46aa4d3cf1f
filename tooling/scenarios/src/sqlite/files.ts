import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkpointer } from '@agent-state/core';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { onTestFinished } from 'vitest';
import { opened } from '../stores.ts';

/** A folder of the test's own, with a path in it for a SQLite file; removed when the test is over. */
export function ownFile(): { readonly folder: string; readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, 'threads.sqlite') };
}

/** Opens a checkpointer on the file that is closed when the test is over. */
export function openFile(path: string): Checkpointer {
  return opened(() => createSqliteCheckpointer({ path, busyTimeoutMs: 500 }));
}
