import type { StepsOptions, Stored } from '@agent-state/core';
import type { Places } from './connect.ts';
import { type ChunkRef, chunksOf, controlOf, corrupt, itemsOf, type Tail } from './layout.ts';
import { readChunks } from './load.ts';
import { asAbsence, readDocument } from './read.ts';

const maxRounds = 5;

/** Step records from `from` on: of the chunks, only those that have some of them are read. */
export async function readSteps(
  places: Places,
  threadId: string,
  { from, limit }: Required<StepsOptions>,
): Promise<readonly Stored[]> {
  for (let round = 1; round <= maxRounds; round += 1) {
    const document = await readDocument(places, threadId, {
      control: 1,
      tombstone: 1,
      tail: 1,
      steps: 1,
      step_chunks: 1,
    });
    if (!document || asAbsence(document)) return [];
    const tail = document.tail as Tail | undefined;
    if (typeof tail?.steps_from !== 'number') throw corrupt(threadId, 'it is not a thread of this library');
    const end = Math.min(from + limit, controlOf(document).steps ?? 0);
    const refs = overlapping(chunksOf(document, 'step_chunks'), tail.steps_from, from, end);
    const chunks = await readChunks(places, threadId, refs);
    if (!chunks) continue;
    const start = refs[0]?.from ?? tail.steps_from;
    const steps = [...chunks.flatMap(({ items }) => items), ...itemsOf(document, 'steps')];
    return steps.slice(Math.max(0, from - start), Math.max(0, end - start)).filter((step) => step !== null);
  }
  throw corrupt(threadId, 'a part of its steps is missing');
}

/** Each chunk reaches to where the next begins, the last one to the tail. */
function overlapping(refs: readonly ChunkRef[], tailFrom: number, from: number, end: number): readonly ChunkRef[] {
  const first = refs.findIndex((_, position) => (refs[position + 1]?.from ?? tailFrom) > from);
  if (first === -1) return [];
  // Up to the last one, or to the one that begins behind the page: what is returned is a stretch without a gap.
  return refs.slice(first).filter((ref) => ref.from < end);
}
