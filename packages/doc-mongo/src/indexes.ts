import type { Collection } from 'mongodb';
import type { ChunkDocument, ThreadDocument } from './layout.ts';

/** Only what is paused until a time is in it. */
export const wakeTimeIndex = 'wake_time';

/** Every access of the adapter is by `_id` or by one of these. On indexes that are there already this costs nothing. */
export async function ensureIndexes(
  threads: Collection<ThreadDocument>,
  chunks: Collection<ChunkDocument>,
): Promise<void> {
  await Promise.all([
    threads.createIndexes([
      { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 },
      { key: { updated: -1, _id: 1 }, name: 'listing' },
      { key: { agent_profile: 1, updated: -1, _id: 1 }, name: 'listing_by_profile' },
      { key: { 'run.pause.wake_at': 1 }, name: wakeTimeIndex, sparse: true },
    ]),
    chunks.createIndexes([
      { key: { expires_at: 1 }, name: 'expiry', expireAfterSeconds: 0 },
      { key: { thread: 1, born: 1 }, name: 'by_thread' },
    ]),
  ]);
}
