import type { StorePort } from '../agent/saving/store-port.ts';
import { AgentStateError } from '../protocol/errors.ts';
import { maxPage } from '../protocol/query.ts';
import { toWakeTime } from '../state/wake-time.ts';

/** By the wall clock: a time that a person or a tool named. */
export async function dueThreads(port: StorePort, now: Date): Promise<readonly string[]> {
  const query = { dueAt: dueAtOf(now), limit: maxPage };
  const due: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await port.query(cursor === undefined ? query : { ...query, cursor });
    due.push(...page.threads.map(({ threadId }) => threadId));
    cursor = page.cursor;
    if (cursor === undefined) return due;
  }
}

function dueAtOf(now: Date): string {
  const time = now instanceof Date ? toWakeTime(now.getTime()) : undefined;
  if (time !== undefined) return time;
  throw new AgentStateError('invalid_argument', 'due takes a Date up to the year 9999.', { path: 'now' });
}
