import type { Stored, StoredAbsence, StoredThread } from '@agent-state/core';
import type { Places } from './connect.ts';
import { type FactsCache, factsOf } from './facts.ts';
import {
  type ChunkDocument,
  type ChunkRef,
  chunkId,
  chunksOf,
  controlOf,
  corrupt,
  itemsOf,
  storedVariables,
  type Tail,
  type ThreadDocument,
} from './layout.ts';
import { asAbsence, headFound, readDocument } from './read.ts';

/** How often a load begins again when chunks vanish under it, for the record has moved on. */
const maxRounds = 5;

/** The whole thread, as one save left it: chunks never change, so only their absence can show that it moved on. */
export async function load(places: Places, cache: FactsCache, threadId: string): Promise<StoredThread | StoredAbsence> {
  for (let round = 1; round <= maxRounds; round += 1) {
    const document = await readDocument(places, threadId, { steps: 0, step_chunks: 0, tools: 0 });
    cache.set(threadId, factsOf(document));
    const absence = asAbsence(document);
    if (absence) return absence;
    const thread = document as ThreadDocument;
    // Not ours, or of another layout: core says which, and nothing more is read of it.
    if (!factsOf(thread)) return { ...headFound(thread), variables: '', messages: [], ahead: [] };
    const chunks = await readChunks(places, threadId, chunksOf(thread, 'chunks'));
    if (chunks) return assemble(thread, chunks);
  }
  throw corrupt(threadId, 'a part of its history is missing');
}

/** In the order given, in one call; undefined where one is missing. */
export async function readChunks(
  { chunks }: Places,
  threadId: string,
  refs: readonly ChunkRef[],
): Promise<ChunkDocument[] | undefined> {
  if (refs.length === 0) return [];
  const ids = refs.map(({ id }) => chunkId(threadId, id));
  const documents = await chunks.find({ _id: { $in: ids } }, { batchSize: ids.length + 1 }).toArray();
  const byId = new Map(documents.map((document) => [document._id, document]));
  const found = ids.flatMap((id) => byId.get(id) ?? []);
  if (!found.every(({ items }) => Array.isArray(items))) throw corrupt(threadId, 'a part of it is not ours');
  return found.length === ids.length ? found : undefined;
}

/** Later chunks, and the tail last, count over earlier ones: a result ahead of its turn can be replaced. */
function assemble(document: ThreadDocument, chunks: readonly ChunkDocument[]): StoredThread {
  const { length = 0 } = controlOf(document);
  const { from } = document.tail as Tail;
  const items = new Map<number, Stored>();
  for (const chunk of chunks) putAll(items, chunk.from, chunk.items);
  putAll(items, from, itemsOf(document, 'history'));
  return {
    ...headFound(document),
    variables: storedVariables(document),
    messages: history(document._id, items, length),
    ahead: [...items].filter(([index]) => index >= length).map(([index, message]) => ({ index, message })),
  };
}

function putAll(items: Map<number, Stored>, from: number, added: readonly (Stored | null)[]): void {
  added.forEach((item, offset) => {
    if (item !== null) items.set(from + offset, item);
  });
}

function history(threadId: string, items: ReadonlyMap<number, Stored>, length: number): Stored[] {
  return Array.from({ length }, (_, index) => {
    const item = items.get(index);
    if (item === undefined) throw corrupt(threadId, `message ${index} of ${length} is missing`);
    return item;
  });
}
