import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import type { Open } from './store.ts';

export const open: Open = ([path = '']) => createSqliteCheckpointer({ path, busyTimeoutMs: 20_000 });
