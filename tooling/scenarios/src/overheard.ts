import type { Checkpointer } from '@agent-state/core';

/** A store of which `hear` is told what a load or save failed with, before the agent is. */
export function overheard(store: Checkpointer, hear: (error: unknown) => Promise<unknown>): Checkpointer {
  const overhear = <T>(call: Promise<T>) =>
    call.catch(async (error: unknown) => {
      await hear(error);
      throw error;
    });
  return {
    ...store,
    load: (threadId) => overhear(store.load(threadId)),
    save: (threadId, write) => overhear(store.save(threadId, write)),
  };
}
