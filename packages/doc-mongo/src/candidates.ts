import type { StoreQuery } from '@agent-state/core';
import type { Collection, Document } from 'mongodb';
import type { Places } from './connect.ts';
import { badValue, hasCode } from './errors.ts';
import { wakeTimeIndex } from './indexes.ts';
import type { ThreadDocument } from './layout.ts';
import { headFilter, order, summaryFields } from './query.ts';
import { textStages } from './text.ts';

const fields = { ...summaryFields, updated: 1 } as const;

/** The threads that match as far as the server can tell, in order, by an index in each case. */
export async function candidates({ threads, chunks }: Places, query: StoreQuery): Promise<Document[]> {
  const { limit, text, dueAt } = query;
  const filter = headFilter(query);
  const found = text === undefined ? [] : textStages(chunks.collectionName, text);
  const shown = { $project: text === undefined ? fields : { ...fields, sure: 1 } };
  const [matching, sorted, cut] = [{ $match: filter }, { $sort: order }, { $limit: limit }];
  // Cut down to what is shown before it is sorted: the rest of a thread may be megabytes.
  if (dueAt !== undefined) return due(threads, [matching, ...found, shown, sorted, cut], limit);
  // In the order of the index, until a page is full.
  if (text !== undefined) return aggregated(threads, [matching, sorted, ...found, cut, shown], limit);
  return threads.find<Document>(filter, { projection: fields, sort: order, limit, batchSize: limit }).toArray();
}

/**
 * By the index of times, which the server would not always choose: where the first that it tries are due it goes on by
 * the listing's, through all threads. An index that somebody dropped only makes it slow.
 */
async function due(threads: Collection<ThreadDocument>, stages: Document[], limit: number): Promise<Document[]> {
  try {
    return await aggregated(threads, stages, limit, wakeTimeIndex);
  } catch (error) {
    if (!hasCode(error, badValue)) throw error;
    return aggregated(threads, stages, limit);
  }
}

/** In one call: the server says that it has no more only where it was asked for more. */
function aggregated(
  threads: Collection<ThreadDocument>,
  stages: Document[],
  limit: number,
  hint?: string,
): Promise<Document[]> {
  const options = { batchSize: limit + 1, ...(hint === undefined ? {} : { hint }) };
  return threads.aggregate<Document>(stages, options).toArray();
}
