import type { StoreWrite } from '@agent-state/core';
import type { Document } from 'mongodb';
import { all } from './chunks.ts';
import type { Places } from './connect.ts';
import type { Facts } from './facts.ts';
import { chunkId, chunksOf, controlOf, type ThreadDocument } from './layout.ts';
import type { Naming } from './naming.ts';

/** After a save: the messages that it replaced, and chunks that were copied. */
export async function dropObsolete(
  places: Places,
  threadId: string,
  write: StoreWrite,
  naming: Naming,
  facts: Facts | undefined,
): Promise<void> {
  const hadChunks = facts?.tail.until !== undefined;
  if (hadChunks && write.replaces) {
    const { life, generation } = write.control;
    const older = { kind: 'messages', born: { $eq: life.born }, generation: { $lt: generation } };
    await drop(places, { thread: { $eq: threadId }, ...older });
  }
  const copied = all(naming.obsolete).map(({ id }) => chunkId(threadId, id));
  if (copied.length > 0) await drop(places, { _id: { $in: copied } });
}

/** After a create: the chunks of a life that had expired and was still there. */
export async function dropExpired(places: Places, threadId: string, born: string): Promise<void> {
  await drop(places, { thread: { $eq: threadId }, born: { $eq: born } });
}

/**
 * After a refused save: the chunks that were made for it. Only where a record read after they were there does not name
 * them, and is not the one that they were made from: else a save of ours may still be on its way to name them.
 */
export async function discardUnnamed(
  places: Places,
  threadId: string,
  write: StoreWrite,
  { added, instead }: Naming,
): Promise<void> {
  const made = [...all(added), ...(instead ? all(instead) : [])].map(({ id }) => id);
  if (made.length === 0) return;
  try {
    const document = await places.threads.findOne<ThreadDocument>(
      { _id: { $eq: threadId } },
      { projection: { control: 1, chunks: 1, step_chunks: 1 } },
    );
    if (controlOf(document).etag === write.expected) return;
    const named = new Set(document ? namesIn(document) : []);
    const unnamed = made.filter((id) => !named.has(id)).map((id) => chunkId(threadId, id));
    await drop(places, { _id: { $in: unnamed } });
  } catch {
    // The save was refused, and that is what its caller is to learn; a delete removes what stays.
  }
}

function namesIn(document: ThreadDocument): string[] {
  if (controlOf(document).etag === undefined) return [];
  return [...chunksOf(document, 'chunks'), ...chunksOf(document, 'step_chunks')].map(({ id }) => id);
}

/** Garbage: a save does not fail for it, and a delete of the thread removes what stays. */
async function drop({ chunks }: Places, filter: Document): Promise<void> {
  try {
    await chunks.deleteMany(filter);
  } catch {
    // As said above.
  }
}
