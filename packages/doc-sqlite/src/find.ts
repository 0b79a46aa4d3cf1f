import { setImmediate } from 'node:timers/promises';
import {
  type Checkpoint,
  decodeThread,
  matches,
  type StoreQuery,
  summaryOf,
  type ThreadSummary,
} from '@agent-state/core';
import { conditionOf, looksInside } from './condition.ts';
import { type View, withMessages } from './read.ts';
import type { Tables } from './tables.ts';

/** How many whole threads are read in one go before others get their turn. */
const batch = 10;

type Look = <T>(work: (view: View) => T) => Promise<T>;

/** The threads that match, in the order of every listing. */
export async function find(look: Look, query: StoreQuery): Promise<ThreadSummary[]> {
  if (!looksInside(query)) return look((view) => candidates(view, query, query.limit).map(toSummary));
  const found: ThreadSummary[] = [];
  let rest: StoreQuery | undefined = query;
  while (rest && found.length < query.limit) {
    const { summaries, after } = await look((view) => nextBatch(view, rest as StoreQuery));
    found.push(...summaries);
    rest = after && { ...query, after };
    await setImmediate();
  }
  return found.slice(0, query.limit);
}

/** The matches among the next candidates, and where those ended, if they did not end altogether. */
function nextBatch(view: View, query: StoreQuery) {
  const rows = candidates(view, query, batch);
  const summaries = rows.flatMap((row) => {
    const threadId = row.thread_id as string;
    // A head row that was found is a thread, never an absence.
    const { state, revision } = decodeThread(threadId, withMessages(view, threadId, row)) as Checkpoint;
    return matches(threadId, state, query) ? [summaryOf(threadId, state, revision)] : [];
  });
  const last = rows.length < batch ? undefined : rows.at(-1);
  const after = last && { updatedAt: Number(last.updated_ms), threadId: last.thread_id as string };
  return { summaries, after };
}

function candidates({ connection, tables, now }: View, query: StoreQuery, limit: number) {
  const { sql, values } = conditionOf(query, tables, now);
  return connection.rows(
    `select * from ${headsOf(query, tables)} where ${sql} order by "updated_ms" desc, "thread_id" limit ?`,
    ...values,
    limit,
  );
}

/** By itself SQLite looks through all threads, in the order of a listing, rather than sort the few that are due. */
function headsOf({ dueAt }: StoreQuery, { heads, byWakeTime }: Tables): string {
  return dueAt === undefined ? heads : `${heads} indexed by ${byWakeTime}`;
}

function toSummary(row: Readonly<Record<string, unknown>>): ThreadSummary {
  return {
    threadId: row.thread_id as string,
    agentProfile: row.agent_profile as string,
    currentStep: Number(row.current_step),
    updatedAt: row.updated_at as string,
    phase: row.phase as ThreadSummary['phase'],
    ...(row.wake_at === null ? {} : { wakeAt: row.wake_at as string }),
    revision: Number(row.revision),
    length: Number(row.length),
  };
}
