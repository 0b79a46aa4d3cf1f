import { admits, type Burial, type SaveOutcome, type StoreWrite } from '@agent-state/core';
import { readHead, type View } from './read.ts';
import { headColumns, headValues } from './rows.ts';
import { removeThread } from './sweep.ts';

/** Stores the write, if it builds on what is there. Only rows that are new are written, and the head. */
export function save(view: View, threadId: string, write: StoreWrite): SaveOutcome {
  const { connection, tables } = view;
  const found = readHead(view, threadId);
  if (!admits(found, write)) return { saved: false, found };
  if (!found.found) {
    // What has expired but is not removed yet must not become part of the new life.
    removeThread(connection, tables, threadId);
    insertHead(view, threadId, write);
  } else {
    if (write.replaces) connection.run(`delete from ${tables.messages} where "thread_id" = ?`, threadId);
    updateHead(view, threadId, write);
  }
  insertTexts(view, tables.messages, threadId, write.messages);
  insertTexts(view, tables.steps, threadId, write.steps);
  return { saved: true };
}

/** Removes the life that is named, and leaves the tombstone; false where something else is there. */
export function bury(view: View, threadId: string, burial: Burial): boolean {
  const { connection, tables, now } = view;
  const found = readHead(view, threadId);
  const expected = found.found ? found.control.life.born === burial.born : isSame(found.tombstone, burial);
  if (!expected) return false;
  removeThread(connection, tables, threadId);
  connection.run(
    `insert or replace into ${tables.tombstones} ("thread_id", "etag", "expires_at") values (?, ?, ?)`,
    threadId,
    burial.tombstone,
    now + burial.keepMs,
  );
  return true;
}

function isSame(tombstone: string | null, burial: Burial): boolean {
  return burial.born === null && burial.was === tombstone;
}

function insertHead({ connection, tables, now }: View, threadId: string, write: StoreWrite): void {
  const columns = ['thread_id', 'variables', ...headColumns].map((name) => `"${name}"`);
  connection.run(
    `insert into ${tables.heads} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    threadId,
    write.variables?.text ?? null,
    ...headValues(write, now),
  );
}

function updateHead({ connection, tables, now }: View, threadId: string, write: StoreWrite): void {
  const settings = headColumns.map((name) => `"${name}" = ?`);
  const values = headValues(write, now);
  if (write.variables) {
    settings.push('"variables" = ?');
    values.push(write.variables.text);
  }
  connection.run(`update ${tables.heads} set ${settings.join(', ')} where "thread_id" = ?`, ...values, threadId);
}

function insertTexts(
  { connection }: View,
  table: string,
  threadId: string,
  texts: readonly { readonly index: number; readonly text: string }[],
): void {
  const sql = `insert or replace into ${table} ("thread_id", "idx", "text") values (?, ?, ?)`;
  for (const { index, text } of texts) connection.run(sql, threadId, index, text);
}
