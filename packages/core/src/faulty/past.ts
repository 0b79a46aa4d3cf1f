import type { Checkpointer, CheckpointWrite } from '../protocol/checkpointer.ts';
import type { Position } from '../protocol/position.ts';
import type { ThreadStateInput } from '../state/schema.ts';

/** The saves of each thread that went through here, so that a store can be put back to one of them. */
export interface Past {
  /** Of a write whose state does not change any more. */
  save(threadId: string, write: CheckpointWrite): Promise<Position>;
  /**
   * Puts the store back by so many saves, with etag, revision and length of then, as a failover or a restored copy
   * would. Whether there was such a save; step records stay, and are written over.
   */
  rollBack(threadId: string, saves: number): Promise<boolean>;
}

interface Saved {
  readonly state: ThreadStateInput;
  readonly position: Position;
}

/** A thread's saves past this many are forgotten. */
const remembered = 100;

export function createPast(inner: Checkpointer): Past {
  const threads = new Map<string, readonly Saved[]>();
  return {
    async save(threadId, write) {
      const position = await inner.save(threadId, write);
      const saved = { state: write.state, position };
      threads.set(threadId, [...(threads.get(threadId) ?? []), saved].slice(-remembered));
      return position;
    },
    async rollBack(threadId, saves) {
      const now = await inner.peek(threadId);
      const before = threads.get(threadId) ?? [];
      const latest = before.findLastIndex(({ position }) => now.found && position.etag === now.etag);
      const older = latest < 0 ? undefined : before[latest - saves];
      if (!now.found || !older || older.position.life.born !== now.life.born) return false;
      const { found: _found, head: _head, ...current } = now;
      await inner.save(threadId, writeOf(older, current));
      threads.set(threadId, before.slice(0, latest - saves + 1));
      return true;
    },
  };
}

/** A save whose outcome is the older record: it counts on from its base, so that has to lie one before. */
function writeOf({ state, position }: Saved, current: Position): CheckpointWrite {
  const { revision, generation, steps, ttl, updatedAt } = position;
  const replaces = current.length > 0;
  return {
    state: { ...state, updated_at: updatedAt },
    writeId: position.etag,
    base: { ...current, revision: revision - 1, generation: generation - (replaces ? 1 : 0), steps, updatedAt },
    ttl,
  };
}
