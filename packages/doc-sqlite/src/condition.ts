import type { StoreQuery } from '@agent-state/core';
import type { SqliteValue } from './database.ts';
import type { Tables } from './tables.ts';

/** A condition in SQL, with its values. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqliteValue[];
}

/** Whether a query looks into variables or messages, which are text to SQLite: those are compared in JavaScript. */
export function looksInside({ variables, toolName, text }: StoreQuery): boolean {
  return variables !== undefined || toolName !== undefined || text !== undefined;
}

/** What columns can decide, exactly; and of the rest what lets no thread be missed. */
export function conditionOf(query: StoreQuery, tables: Tables, now: number): Condition {
  const { after, agentProfile, updatedFrom, updatedBefore, phase, dueAt } = query;
  const conditions: Condition[] = [
    { sql: `("expires_at" is null or "expires_at" > ?)`, values: [now] },
    ...(after === undefined ? [] : [behind(after)]),
    ...(agentProfile === undefined ? [] : [{ sql: `"agent_profile" = ?`, values: [agentProfile] }]),
    ...(updatedFrom === undefined ? [] : [{ sql: `"updated_ms" >= ?`, values: [updatedFrom] }]),
    ...(updatedBefore === undefined ? [] : [{ sql: `"updated_ms" < ?`, values: [updatedBefore] }]),
    ...(phase === undefined ? [] : [{ sql: `"phase" = ?`, values: [phase] }]),
    ...(dueAt === undefined ? [] : [{ sql: `"wake_at" <= ?`, values: [dueAt] }]),
    ...Object.entries(query.variables ?? {}).flatMap(([key, value]) =>
      holds(`${JSON.stringify(key)}:${JSON.stringify(value)}`, (found) => `${found('"variables"')}`),
    ),
    ...(query.toolName === undefined ? [] : inMessages(JSON.stringify(query.toolName), tables)),
    ...(query.text === undefined ? [] : inMessages(JSON.stringify(query.text).slice(1, -1), tables)),
  ];
  return {
    sql: conditions.map(({ sql }) => sql).join(' and '),
    values: conditions.flatMap(({ values }) => values),
  };
}

function behind({ updatedAt, threadId }: NonNullable<StoreQuery['after']>): Condition {
  const sql = `("updated_ms" < ? or ("updated_ms" = ? and "thread_id" > ?))`;
  return { sql, values: [updatedAt, updatedAt, threadId] };
}

function inMessages(json: string, { heads, messages }: Tables): Condition[] {
  const rows = `select 1 from ${messages} where ${messages}."thread_id" = ${heads}."thread_id"`;
  return holds(json, (found) => `exists (${rows} and ${found('"text"')})`);
}

/**
 * JSON text that has to occur in a column: it is written by one `JSON.stringify`, so what is looked for stands there
 * letter by letter. A lone surrogate can match half of a pair, which SQLite does not see: then nothing is ruled out.
 */
function holds(json: string, place: (found: (column: string) => string) => string): Condition[] {
  if (/\\u[dD][89a-fA-F]/.test(json)) return [];
  return [{ sql: place((column) => `instr(${column}, ?) > 0`), values: [json] }];
}
