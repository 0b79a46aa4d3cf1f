import type { Checkpointer } from '@agent-state/core';

/** All that a store holds of a thread, as texts by the names of their places. */
export type Parts = Readonly<Record<string, string>>;

/** A store whose contents a test can read and write past the adapter, as a disk, a person or another release would. */
export interface RawStore {
  readonly open: () => Checkpointer;
  readonly read: (threadId: string) => Promise<Parts>;
  /** These parts and no others. */
  readonly write: (threadId: string, parts: Parts) => Promise<unknown>;
  readonly stop: () => Promise<unknown>;
}
