import type { Checkpoint, Checkpointer } from '@agent-state/core';
import { type BrokenAdapter, broken } from './broken.ts';

/** Checkpointers that share what they hold with their callers. */
export const brokenReferences: readonly BrokenAdapter[] = [
  broken('gives out states that can be changed', 'contract/frozen', ({ store }) => ({
    async load(threadId) {
      const found = await store.load(threadId);
      return found.found ? { ...found, state: structuredClone(found.state) } : found;
    },
  })),
  broken('keeps what the caller holds', 'references/input-after', ({ store }) => {
    const given = new Map<string, Checkpoint['state']>();
    return {
      save(threadId, write) {
        given.set(threadId, write.state as Checkpoint['state']);
        return store.save(threadId, write);
      },
      async load(threadId) {
        const found = await store.load(threadId);
        return found.found ? { ...found, state: given.get(threadId) ?? found.state } : found;
      },
    };
  }),
  broken('takes the state when it gets to it', 'references/input-during', later),
  broken('takes the state when it gets to it, without a base', 'references/input-during-unconditional', later),
  broken('shows an earlier load what is saved later', 'references/earlier-load', ({ store }) => {
    const seen = new Map<string, Checkpoint['state']>();
    return {
      async load(threadId) {
        const found = await store.load(threadId);
        if (!found.found) return found;
        const state = Object.assign(seen.get(threadId) ?? {}, found.state) as Checkpoint['state'];
        seen.set(threadId, state);
        return { ...found, state };
      },
      save: async (threadId, write) => {
        const position = await store.save(threadId, write);
        Object.assign(seen.get(threadId) ?? {}, write.state);
        return position;
      },
    };
  }),
];

function later({ store }: { store: Checkpointer }): Partial<Checkpointer> {
  return {
    async save(threadId, write) {
      await Promise.resolve();
      return store.save(threadId, write);
    },
  };
}
