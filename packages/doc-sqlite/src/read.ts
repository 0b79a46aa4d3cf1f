import type { Control, Stored, StoredAbsence, StoredHead, StoredThread } from '@agent-state/core';
import type { Connection } from './database.ts';
import { toHead, toThread } from './rows.ts';
import type { Tables } from './tables.ts';

type Row = Readonly<Record<string, unknown>>;

/** One transaction's view of the tables, at one time: what has expired is not there. */
export interface View {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly now: number;
}

export function readHead(view: View, threadId: string): (StoredHead & { readonly control: Control }) | StoredAbsence {
  const row = headRow(view, threadId);
  return row ? toHead(row) : absence(view, threadId);
}

export function readThread(view: View, threadId: string): StoredThread | StoredAbsence {
  const row = headRow(view, threadId);
  return row ? withMessages(view, threadId, row) : absence(view, threadId);
}

/** The thread of a head row that was read in this transaction. */
export function withMessages({ connection, tables }: View, threadId: string, row: Row): StoredThread {
  const messages = connection.rows(
    `select "idx", "text" from ${tables.messages} where "thread_id" = ? order by "idx"`,
    threadId,
  );
  return toThread(row, messages);
}

export function readSteps(view: View, threadId: string, from: number, limit: number): Stored[] {
  if (!headRow(view, threadId)) return [];
  const { connection, tables } = view;
  const rows = connection.rows(
    `select "text" from ${tables.steps} where "thread_id" = ? and "idx" >= ? order by "idx" limit ?`,
    threadId,
    from,
    limit,
  );
  return rows.map(({ text }) => text as string);
}

function headRow({ connection, tables, now }: View, threadId: string): Row | undefined {
  const [row] = connection.rows(
    `select * from ${tables.heads} where "thread_id" = ? and ("expires_at" is null or "expires_at" > ?)`,
    threadId,
    now,
  );
  return row;
}

function absence({ connection, tables, now }: View, threadId: string): StoredAbsence {
  const [row] = connection.rows(
    `select "etag" from ${tables.tombstones} where "thread_id" = ? and "expires_at" > ?`,
    threadId,
    now,
  );
  return { found: false, tombstone: (row?.etag as string | undefined) ?? null };
}
