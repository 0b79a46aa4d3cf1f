import type { Places } from './connect.ts';

/** When a save makes the thread expire; null: never. */
export interface Expiry {
  readonly thread: Date | null;
  /** A quarter later, so that there is never a thread without its chunks, and chunks are moved seldom. */
  readonly chunks: Date | null;
}

const lastInstant = 8.64e15;

export async function expiryOf({ clock }: Places, expiresInMs: number | null): Promise<Expiry> {
  if (expiresInMs === null) return { thread: null, chunks: null };
  const now = await clock.now();
  const after = (ms: number) => new Date(Math.min(now + ms, lastInstant));
  return { thread: after(expiresInMs), chunks: after(expiresInMs * 1.25) };
}

/**
 * Moves the expiry of a thread's chunks on, before the save that needs it. It only ever moves on, so it does no harm
 * where that save is refused.
 */
export async function lengthen({ chunks }: Places, threadId: string, born: string, until: Date): Promise<void> {
  await chunks.updateMany(
    { thread: { $eq: threadId }, born: { $eq: born }, expires_at: { $lt: until } },
    { $set: { expires_at: until } },
  );
}
