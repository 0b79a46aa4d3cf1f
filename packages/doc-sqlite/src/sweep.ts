import type { Connection } from './database.ts';
import type { Tables } from './tables.ts';

/** How many expired threads go at a time, so that no save waits for thousands. */
const batch = 100;

/** Removes threads that have expired, and tombstones whose time is over. Called inside a transaction that writes. */
export function removeExpired(connection: Connection, tables: Tables, now: number): void {
  const expired = connection.rows(
    `select "thread_id" from ${tables.heads} where "expires_at" <= ? order by "expires_at" limit ${batch}`,
    now,
  );
  for (const { thread_id: threadId } of expired) removeThread(connection, tables, threadId as string);
  connection.run(`delete from ${tables.tombstones} where "expires_at" <= ?`, now);
}

/** Removes every row of a thread but its tombstone. */
export function removeThread(connection: Connection, tables: Tables, threadId: string): void {
  for (const table of [tables.messages, tables.steps, tables.heads]) {
    connection.run(`delete from ${table} where "thread_id" = ?`, threadId);
  }
}
