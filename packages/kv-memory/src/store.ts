import { admits, type Capabilities, type CheckpointStore, type StoredAbsence } from '@agent-state/core';
import type { MemoryNamespace } from './data.ts';
import { find } from './find.ts';
import { headOf, wholeOf, written } from './thread.ts';

/**
 * The store half, over one namespace. Each method does its work without an await in between, and that is what makes a
 * save atomic.
 */
export function createMemoryStore(
  { threads, tombstones }: MemoryNamespace,
  capabilities: Capabilities,
  now: () => number,
): CheckpointStore {
  const absence = (threadId: string): StoredAbsence => ({
    found: false,
    tombstone: tombstones.get(threadId, now()) ?? null,
  });

  return {
    name: 'memory',
    capabilities,
    async load(threadId) {
      const thread = threads.get(threadId, now());
      return thread ? wholeOf(thread) : absence(threadId);
    },
    async peek(threadId) {
      const thread = threads.get(threadId, now());
      return thread ? headOf(thread) : absence(threadId);
    },
    async save(threadId, write) {
      const at = now();
      const thread = threads.get(threadId, at);
      const found = thread ? headOf(thread) : absence(threadId);
      if (!admits(found, write)) return { saved: false, found };
      const expiresAt = write.expiresInMs === null ? null : at + write.expiresInMs;
      threads.set(threadId, written(thread, write), expiresAt, at);
      return { saved: true };
    },
    async bury(threadId, burial) {
      const at = now();
      const born = threads.get(threadId, at)?.control.life.born ?? null;
      if (born !== burial.born) return false;
      if (burial.born === null && absence(threadId).tombstone !== burial.was) return false;
      threads.delete(threadId);
      tombstones.set(threadId, burial.tombstone, at + burial.keepMs, at);
      return true;
    },
    async steps(threadId, { from, limit }) {
      return threads.get(threadId, now())?.steps.slice(from, from + limit) ?? [];
    },
    find: async (query) => find(threads.entries(now()), query),
    close: async () => {},
  };
}
