import type { Checkpoint, Checkpointer } from '@agent-state/core';

/** A store, and the record on which the first write through it was made: what a process went on from. */
export function noteBase(store: Checkpointer): {
  readonly store: Checkpointer;
  readonly base: () => Checkpoint | undefined;
} {
  let last: Checkpoint | undefined;
  let base: { readonly at: Checkpoint | undefined } | undefined;
  return {
    base: () => (base ? base.at : last),
    store: Object.freeze<Checkpointer>({
      ...store,
      async load(threadId) {
        const loaded = await store.load(threadId);
        last = loaded.found ? loaded : undefined;
        return loaded;
      },
      async save(threadId, write) {
        const seen = last;
        const position = await store.save(threadId, write);
        base ??= { at: seen };
        return position;
      },
    }),
  };
}
