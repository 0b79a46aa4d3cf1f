import { AgentStateError, layoutVersion } from '@agent-state/core';
import type { Connection } from './database.ts';
import type { Tables } from './tables.ts';

/** Whether the table set is there. */
export function isLaidOut(connection: Connection, { metaName }: Tables): boolean {
  return connection.rows(`select 1 from sqlite_schema where type = 'table' and name = ?`, metaName).length > 0;
}

/**
 * Refuses a table set that a newer release laid out: it is neither read nor written. Looked at in every transaction,
 * for another process may run the newer release.
 */
export function assertLayout(connection: Connection, { meta }: Tables): void {
  const [row] = connection.rows(`select "value" from ${meta} where "key" = 'layout'`);
  const layout = Number(row?.value);
  if (layout === layoutVersion) return;
  if (layout > layoutVersion) {
    throw new AgentStateError(
      'schema_too_new',
      `The tables were written in layout ${layout}; this release reads up to ${layoutVersion}. Upgrade to go on; nothing was changed.`,
    );
  }
  throw new AgentStateError('corrupt', 'The tables are not those of this library. They are left as they are.');
}

/** Makes the table set, where another process has not. Called inside a transaction that writes. */
export function layOut(connection: Connection, tables: Tables): void {
  if (isLaidOut(connection, tables)) return;
  connection.database.exec(definitions(tables));
  connection.run(`insert into ${tables.meta} ("key", "value") values ('layout', ?)`, layoutVersion);
}

function definitions(tables: Tables): string {
  const { meta, heads, messages, steps, tombstones, byUpdate, byProfile, byWakeTime, byExpiry } = tables;
  return `
    create table ${meta} ("key" text primary key, "value" integer not null) strict;
    create table ${heads} (
      "thread_id" text primary key,
      "layout" integer not null,
      "etag" text not null,
      "revision" integer not null,
      "born" text not null,
      "after" text,
      "generation" integer not null,
      "length" integer not null,
      "steps" integer not null,
      "ttl_ms" integer,
      "paused_ttl_ms" integer,
      "expires_at" integer,
      "updated_ms" integer not null,
      "updated_at" text not null,
      "agent_profile" text not null,
      "phase" text not null,
      "wake_at" text,
      "current_step" integer not null,
      "head" text not null,
      "variables" text not null
    ) strict;
    create index ${byUpdate} on ${heads} ("updated_ms" desc, "thread_id");
    create index ${byProfile} on ${heads} ("agent_profile", "updated_ms" desc, "thread_id");
    create index ${byWakeTime} on ${heads} ("wake_at") where "wake_at" is not null;
    create index ${byExpiry} on ${heads} ("expires_at") where "expires_at" is not null;
    create table ${messages} (
      "thread_id" text not null, "idx" integer not null, "text" text not null, primary key ("thread_id", "idx")
    ) strict;
    create table ${steps} (
      "thread_id" text not null, "idx" integer not null, "text" text not null, primary key ("thread_id", "idx")
    ) strict;
    create table ${tombstones} ("thread_id" text primary key, "etag" text not null, "expires_at" integer not null) strict;
  `;
}
