import type { StoredAbsence, StoredHead } from '@agent-state/core';
import type { Document } from 'mongodb';
import type { Places } from './connect.ts';
import { corrupt, isTombstone, storedHead, type ThreadDocument } from './layout.ts';

/** An expired record is absent from the moment on that it expires by the server's clock, whenever it is removed. */
export const alive = { $or: [{ expires_at: null }, { $expr: { $gt: ['$expires_at', '$$NOW'] } }] };

/** All that lies under a thread's id: one document of bounded size, without what the history is in. */
const headOnly = { history: 0, steps: 0, tools: 0, variables: 0, variables_text: 0, chunks: 0, step_chunks: 0 };

export function readHead(places: Places, threadId: string): Promise<ThreadDocument | null> {
  return readDocument(places, threadId, headOnly);
}

export async function readDocument(
  { threads }: Places,
  threadId: string,
  projection: Document,
): Promise<ThreadDocument | null> {
  const document = await threads.findOne({ _id: { $eq: threadId }, ...alive }, { projection });
  // Only in a collection whose collation takes different ids for equal.
  if (document && document._id !== threadId) throw corrupt(threadId, 'the collection mixes up ids');
  return document;
}

export function asAbsence(document: ThreadDocument | null): StoredAbsence | undefined {
  if (document === null) return { found: false, tombstone: null };
  return isTombstone(document) ? { found: false, tombstone: document.tombstone } : undefined;
}

export function asFound(document: ThreadDocument | null): StoredHead | StoredAbsence {
  return asAbsence(document) ?? headFound(document as ThreadDocument);
}

export function headFound(document: ThreadDocument): StoredHead {
  return { found: true, control: document.control, head: storedHead(document) };
}
