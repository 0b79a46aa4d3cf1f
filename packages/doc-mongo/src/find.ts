import { type StoreQuery, type ThreadState, type ThreadSummary, wakeAtOf } from '@agent-state/core';
import type { Document } from 'mongodb';
import { candidates } from './candidates.ts';
import type { Places } from './connect.ts';
import { asksForOddKeys } from './query.ts';

/** Whether a thread, read whole, matches: for the few of which the server cannot tell. */
export type Verify = (threadId: string, query: StoreQuery) => Promise<boolean>;

/** A page, in order. Where some of it does not match after all, the server is asked for what comes behind. */
export async function find(places: Places, query: StoreQuery, verify: Verify): Promise<readonly ThreadSummary[]> {
  const { text } = query;
  if (text !== undefined && !text.isWellFormed()) return [];
  const page: ThreadSummary[] = [];
  let after = query.after;
  for (;;) {
    const documents = await candidates(places, { ...query, ...(after ? { after } : {}) });
    for (const document of documents) {
      if (isSure(document, query) || (await verify(document._id, query))) page.push(summaryOf(document));
      if (page.length === query.limit) return page;
    }
    const last = documents.at(-1);
    if (!last || documents.length < query.limit) return page;
    after = { updatedAt: last.updated.getTime(), threadId: last._id };
  }
}

function isSure(document: Document, query: StoreQuery): boolean {
  return !asksForOddKeys(query) && (query.text === undefined || document.sure === true);
}

function summaryOf(document: Document): ThreadSummary {
  const { _id, agent_profile, current_step, updated_at, run, control } = document as Pick<ThreadState, 'run'> &
    Document;
  const wakeAt = wakeAtOf({ run });
  return {
    threadId: _id,
    agentProfile: agent_profile,
    currentStep: current_step,
    updatedAt: updated_at,
    phase: run?.phase ?? 'idle',
    ...(wakeAt === undefined ? {} : { wakeAt }),
    revision: control.revision,
    length: control.length,
  };
}
