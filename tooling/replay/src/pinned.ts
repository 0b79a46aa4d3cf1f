import { type Absence, AgentStateError, type Checkpoint, type Checkpointer } from '@agent-state/core';

/** A checkpointer on which a run can be made to begin with a record that was read before. */
export interface Pinned {
  readonly checkpointer: Checkpointer;
  readonly pin: (loaded: Checkpoint | Absence) => void;
  /** Whether the run found that the record had moved. */
  readonly moved: () => boolean;
}

/**
 * What to do next is decided from a record, and has to be done on that record: a write of a killed process may land
 * later. A run that has to load a second time has met one, and ends with `conflict`.
 */
export function pinned(checkpointer: Checkpointer): Pinned {
  let next: Checkpoint | Absence | undefined;
  let moved = false;
  return {
    checkpointer: Object.freeze<Checkpointer>({
      ...checkpointer,
      async load() {
        const loaded = next;
        next = undefined;
        moved = loaded === undefined;
        if (loaded) return loaded;
        throw new AgentStateError('conflict', 'The thread has moved since it was read.');
      },
    }),
    pin(loaded) {
      next = loaded;
      moved = false;
    },
    moved: () => moved,
  };
}
