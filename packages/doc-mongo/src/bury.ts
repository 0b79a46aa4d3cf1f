import type { Burial } from '@agent-state/core';
import type { Places } from './connect.ts';
import type { ThreadDocument } from './layout.ts';
import { put } from './put.ts';

/**
 * Puts the tombstone in the place of that life, or of that absence, and then removes all chunks of the lives before
 * it: also those that were made and never named. They are looked up first, for a life after the tombstone keeps its.
 */
export async function bury(places: Places, threadId: string, burial: Burial): Promise<boolean> {
  const { threads, chunks, clock } = places;
  const lives = await chunks.distinct('born', { thread: { $eq: threadId } });
  const { tombstone, keepMs } = burial;
  const grave: ThreadDocument = { _id: threadId, tombstone, expires_at: new Date((await clock.now()) + keepMs) };
  if (!(await putTombstone(places, grave, burial))) {
    const document = await threads.findOne({ _id: { $eq: threadId } }, { projection: { tombstone: 1 } });
    if (document?.tombstone !== tombstone) return false;
  }
  if (burial.born !== null) lives.push(burial.born);
  if (lives.length > 0) await chunks.deleteMany({ thread: { $eq: threadId }, born: { $in: lives } });
  return true;
}

async function putTombstone(places: Places, grave: ThreadDocument, burial: Burial): Promise<boolean> {
  if (burial.born === null) return (await put(places, grave, burial.was)).placed;
  const { _id, ...rest } = grave;
  const filter = { _id: { $eq: _id }, 'control.life.born': { $eq: burial.born } };
  const { matchedCount } = await places.threads.replaceOne(filter, rest);
  return matchedCount === 1;
}
