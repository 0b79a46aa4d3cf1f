import type { Absence } from './checkpointer.ts';
import { AgentStateError } from './errors.ts';
import type { Position } from './position.ts';
import type { Burial, CheckpointStore } from './store.ts';

/** What is there, as far as a delete has to know it. */
type Existing = { readonly found: true } & Pick<Position, 'life' | 'ttl'>;

/** How often a delete goes round again when the thread moves under it, before it says so. */
const maxRounds = 50;

/** A tombstone lasts at least this long: 7 days. */
export const tombstoneKeepMs = 7 * 24 * 3_600_000;

/**
 * Removes the life that is there, and that one only: a delete that lands late cannot eat the next life. A life that
 * was created over a tombstone of this very delete means that it is done.
 */
export async function remove(
  store: Pick<CheckpointStore, 'bury'>,
  threadId: string,
  look: () => Promise<Existing | Absence>,
  newEtag: () => string,
): Promise<void> {
  const written = new Set<string | null>();
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await look();
    if (found.found && written.has(found.life.after)) return;
    const tombstone = newEtag();
    written.add(tombstone);
    if (await store.bury(threadId, burialOf(found, tombstone))) return;
  }
  throw new AgentStateError('conflict', `The thread was written ${maxRounds} times while it was to be deleted.`, {
    threadId,
  });
}

function burialOf(found: Existing | Absence, tombstone: string): Burial {
  if (!found.found) return { born: null, was: found.tombstone, tombstone, keepMs: tombstoneKeepMs };
  const longest = Math.max(found.ttl.ttlMs ?? 0, found.ttl.pausedTtlMs ?? 0);
  return { born: found.life.born, tombstone, keepMs: Math.max(tombstoneKeepMs, longest) };
}
