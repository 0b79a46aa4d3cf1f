import type { Runtime, StoreWrite } from '@agent-state/core';
import type { Document } from 'mongodb';
import type { Places } from './connect.ts';
import { type ChunkDocument, type ChunkRef, chunkId, type Tail } from './layout.ts';
import { asArray } from './place.ts';
import type { Plan } from './plan.ts';

/** Chunks of one save, in order. */
export interface ChunkLists {
  readonly chunks: readonly ChunkRef[];
  readonly step_chunks: readonly ChunkRef[];
}

export function all(lists: ChunkLists): readonly ChunkRef[] {
  return [...lists.chunks, ...lists.step_chunks];
}

/** A chunk that nobody comes to name is gone after this long. */
export const provisionalMs = 10 * 60_000;

/**
 * What chunks of this attempt are called: by the write id of the save that seals them, and never as those of another
 * attempt, so that nobody's chunk can be taken for somebody else's.
 */
export function stemOf(write: StoreWrite, runtime: Runtime): string {
  return `${write.control.etag}/${runtime.id().slice(0, 6)}`;
}

/** Makes the chunks that the plan asks for, each with a provisional expiry. They are not part of the thread yet. */
export async function makeChunks(
  places: Places,
  threadId: string,
  write: StoreWrite,
  plan: Plan,
  tail: Tail,
  stem: string,
): Promise<ChunkLists> {
  const sealed = sealedRefs(plan, tail, stem);
  if (all(sealed).length > 0) await seal(places, threadId, write, sealed);
  const loose = looseChunks(threadId, write, plan, stem);
  if (loose.length > 0) await insert(places, loose);
  const refs = (kind: ChunkDocument['kind']) =>
    loose.filter((chunk) => chunk.kind === kind).map(({ name, from }) => ({ id: name, from }));
  return {
    chunks: [...sealed.chunks, ...refs('messages')],
    step_chunks: [...sealed.step_chunks, ...refs('steps')],
  };
}

function sealedRefs(plan: Plan, tail: Tail, stem: string): ChunkLists {
  return {
    chunks: plan.messages.seals ? [{ id: `${stem}/m`, from: tail.from }] : [],
    step_chunks: plan.steps.seals ? [{ id: `${stem}/s`, from: tail.steps_from }] : [],
  };
}

/** On the server, from what lies in the thread's document, so that nothing travels twice. */
async function seal({ threads, chunks }: Places, threadId: string, write: StoreWrite, refs: ChunkLists): Promise<void> {
  const parts = [
    ...refs.chunks.map(({ id }) => part(threadId, id, 'messages')),
    ...refs.step_chunks.map(({ id }) => part(threadId, id, 'steps')),
  ];
  await threads
    .aggregate([
      { $match: { _id: { $eq: threadId }, 'control.etag': { $eq: write.expected } } },
      { $project: { parts } },
      { $unwind: '$parts' },
      { $replaceRoot: { newRoot: '$parts' } },
      { $merge: { into: chunks.collectionName, whenMatched: 'fail', whenNotMatched: 'insert' } },
    ])
    .toArray();
}

function part(threadId: string, name: string, kind: ChunkDocument['kind']): Document {
  const isSteps = kind === 'steps';
  return {
    _id: { $literal: chunkId(threadId, name) },
    layout: '$control.layout',
    thread: '$_id',
    name: { $literal: name },
    kind: { $literal: kind },
    born: '$control.life.born',
    generation: '$control.generation',
    from: isSteps ? '$tail.steps_from' : '$tail.from',
    length: isSteps ? '$control.steps' : '$control.length',
    items: isSteps ? '$steps' : '$history',
    expires_at: { $add: ['$$NOW', provisionalMs] },
  };
}

function looseChunks(threadId: string, write: StoreWrite, plan: Plan, stem: string): ChunkDocument[] {
  const { layout, life, generation, length, steps } = write.control;
  const common = { layout, thread: threadId, born: life.born, generation };
  return (['messages', 'steps'] as const).flatMap((kind) =>
    plan[kind].loose.map((items, number) => {
      const name = `${stem}/${kind === 'steps' ? 's' : 'm'}${number}`;
      const from = items[0]?.index ?? 0;
      const end = kind === 'steps' ? steps : length;
      return { _id: chunkId(threadId, name), ...common, name, kind, from, length: end, items: asArray(items, from) };
    }),
  );
}

async function insert({ chunks, clock }: Places, loose: readonly ChunkDocument[]): Promise<void> {
  const expires_at = new Date((await clock.now()) + provisionalMs);
  await chunks.insertMany(loose.map((chunk) => ({ ...chunk, expires_at })));
}

/**
 * Copies a thread's chunks under other names. Whether a chunk ever expires is settled when it is made, for changing it
 * later could race with a save that relies on it; so a thread that begins or ceases to expire gets other chunks.
 */
export async function copyChunks(
  { chunks }: Places,
  threadId: string,
  lists: ChunkLists,
  stem: string,
): Promise<ChunkLists> {
  const suffix = `>${stem}`;
  const ids = all(lists).map(({ id }) => chunkId(threadId, id));
  const renamed = (field: string) => ({ $concat: [field, { $literal: suffix }] });
  await chunks
    .aggregate([
      { $match: { _id: { $in: ids } } },
      { $set: { _id: renamed('$_id'), name: renamed('$name'), expires_at: { $add: ['$$NOW', provisionalMs] } } },
      { $merge: { into: chunks.collectionName, whenMatched: 'fail', whenNotMatched: 'insert' } },
    ])
    .toArray();
  const copies = (refs: readonly ChunkRef[]) => refs.map(({ id, from }) => ({ id: `${id}${suffix}`, from }));
  return { chunks: copies(lists.chunks), step_chunks: copies(lists.step_chunks) };
}

/** Gives the chunks their real expiry. False where one is gone: then none may be named. */
export async function confirm(
  { chunks }: Places,
  threadId: string,
  refs: readonly ChunkRef[],
  until: Date | null,
): Promise<boolean> {
  if (refs.length === 0) return true;
  const ids = refs.map(({ id }) => chunkId(threadId, id));
  const change = until ? { $set: { expires_at: until } } : { $unset: { expires_at: '' as const } };
  const { matchedCount } = await chunks.updateMany({ _id: { $in: ids } }, change);
  return matchedCount === ids.length;
}
