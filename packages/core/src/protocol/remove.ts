import type { Absence } from './checkpointer.ts';
import { AgentStateError } from './errors.ts';
import type { Life, Position } from './position.ts';
import type { Burial, CheckpointStore } from './store.ts';

/** What is there, as far as a delete has to know it. */
type Existing = { readonly found: true } & Pick<Position, 'life' | 'ttl'>;

/** How often a delete goes round again when the thread moves under it, before it says so. */
const maxRounds = 50;

/** A tombstone lasts at least this long: 7 days. */
export const tombstoneKeepMs = 7 * 24 * 3_600_000;

/**
 * Removes the life that is there, and that one only: a delete that lands late cannot eat the next life. It is done as
 * well where a life has begun over a tombstone of its own, or over that of another delete which ended what it found.
 */
export async function remove(
  store: Pick<CheckpointStore, 'bury'>,
  threadId: string,
  look: () => Promise<Existing | Absence>,
  newEtag: () => string,
): Promise<void> {
  const written = new Set<string | null>();
  let first: Life | undefined;
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await look();
    if (found.found && (written.has(found.life.after) || isLaterLife(found.life, first))) return;
    if (found.found) first ??= found.life;
    const tombstone = newEtag();
    written.add(tombstone);
    if (await store.bury(threadId, burialOf(found, tombstone))) return;
  }
  throw new AgentStateError('conflict', `The thread was written ${maxRounds} times while it was to be deleted.`, {
    threadId,
  });
}

/** Whether a delete lies between the two: whoever asked for one has had it. */
function isLaterLife(now: Life, first: Life | undefined): boolean {
  return first !== undefined && now.born !== first.born && now.after !== null && now.after !== first.after;
}

function burialOf(found: Existing | Absence, tombstone: string): Burial {
  if (!found.found) return { born: null, was: found.tombstone, tombstone, keepMs: tombstoneKeepMs };
  const longest = Math.max(found.ttl.ttlMs ?? 0, found.ttl.pausedTtlMs ?? 0);
  return { born: found.life.born, tombstone, keepMs: Math.max(tombstoneKeepMs, longest) };
}
