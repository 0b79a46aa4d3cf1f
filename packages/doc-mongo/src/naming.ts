import type { Runtime, StoreWrite } from '@agent-state/core';
import { all, type ChunkLists, confirm, copyChunks, makeChunks, stemOf } from './chunks.ts';
import type { Places } from './connect.ts';
import { type Expiry, lengthen } from './expiry.ts';
import { chunksOf, type Tail, type ThreadDocument } from './layout.ts';
import type { Plan } from './plan.ts';

/** The chunks that a save names: they are there, and will be as long as the thread. */
export interface Naming {
  /** To be added to what is named. */
  readonly added: ChunkLists;
  /** What is to be named in place of what was; absent: that stays. */
  readonly instead?: ChunkLists;
  /** The ids that were named until then. */
  readonly obsolete: ChunkLists;
  readonly until?: Date | null;
}

const none: ChunkLists = { chunks: [], step_chunks: [] };

/** Everything that has to be stored before the save itself; undefined where the thread moved on, or was too slow. */
export async function nameChunks(
  places: Places,
  runtime: Runtime,
  threadId: string,
  write: StoreWrite,
  plan: Plan,
  tail: Tail,
  expiry: Expiry,
): Promise<Naming | undefined> {
  const stem = stemOf(write, runtime);
  const had = changesKind(tail, expiry) ? await namedNow(places, threadId, write) : none;
  if (!had) return undefined;
  const instead = all(had).length > 0 ? await copyChunks(places, threadId, had, stem) : undefined;
  const added = await makeChunks(places, threadId, write, plan, tail, stem);
  const made = [...all(added), ...all(instead ?? none)];
  if (!(await confirm(places, threadId, made, expiry.chunks))) return undefined;
  const until = await keep(places, threadId, write, tail, expiry, instead !== undefined, made.length > 0);
  return { added, ...(instead ? { instead } : {}), obsolete: had, ...(until === undefined ? {} : { until }) };
}

/** Whether a thread with chunks begins to expire, or ceases to. */
function changesKind({ until }: Tail, expiry: Expiry): boolean {
  return until !== undefined && (until === null) !== (expiry.chunks === null);
}

/** What the record names; a rewrite drops its messages, and need not copy them. */
async function namedNow({ threads }: Places, threadId: string, write: StoreWrite): Promise<ChunkLists | undefined> {
  const document = await threads.findOne<ThreadDocument>(
    { _id: { $eq: threadId }, 'control.etag': { $eq: write.expected } },
    { projection: { chunks: 1, step_chunks: 1 } },
  );
  if (!document) return undefined;
  const chunks = write.replaces ? [] : chunksOf(document, 'chunks');
  return { chunks, step_chunks: chunksOf(document, 'step_chunks') };
}

/** Not before this do all of the thread's chunks expire, with those that this save adds. */
async function keep(
  places: Places,
  threadId: string,
  write: StoreWrite,
  tail: Tail,
  { thread, chunks }: Expiry,
  copied: boolean,
  adds: boolean,
): Promise<Date | null | undefined> {
  const { until } = tail;
  if (copied || until === undefined || until === null || !thread || !chunks) {
    return adds || until !== undefined ? chunks : undefined;
  }
  if (until >= thread) return adds && chunks < until ? chunks : until;
  await lengthen(places, threadId, write.control.life.born, chunks);
  return chunks;
}
