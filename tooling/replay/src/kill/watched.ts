import type { Checkpointer, Position } from '@agent-state/core';

/** What is told of each save. */
export interface SaveObserver {
  /** Before it is sent, once it is on its way, and when it has been acknowledged. */
  point(): void;
  saved(position: Position): void;
}

/** A checkpointer that says when it saves. */
export function watched(checkpointer: Checkpointer, observer: SaveObserver): Checkpointer {
  return Object.freeze<Checkpointer>({
    ...checkpointer,
    async save(threadId, write) {
      observer.point();
      const saving = checkpointer.save(threadId, write);
      setImmediate(() => observer.point());
      const position = await saving;
      observer.saved(position);
      observer.point();
      return position;
    },
  });
}
