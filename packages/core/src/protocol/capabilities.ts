/** What a checkpointer offers: one complete record, read-only. `true` always means more. */
export interface Capabilities {
  /** A save compares the etag and writes in one atomic step, so that two writers are kept apart. */
  readonly conditional: boolean;
  /** A delete leaves a mark, so that a save begun before it is refused. */
  readonly tombstones: boolean;
  /** The cost of a save does not grow with the thread. */
  readonly appends: boolean;
  /** `steps` works. */
  readonly steps: boolean;
  /** `list` works. */
  readonly list: boolean;
  /** `query` works. */
  readonly query: boolean;
  /** What is stored outlives the process. */
  readonly durable: boolean;
  /** How coarse expiry is, in milliseconds. */
  readonly ttlResolutionMs: number;
  /** The largest thread, in bytes of JSON; `Infinity` where the store sets no bound. */
  readonly maxStateBytes: number;
  /** The largest single message, in bytes of JSON. */
  readonly maxMessageBytes: number;
}

/** The limit for one message where an adapter is not told another: 16 MB less room for its envelope. */
export const defaultMaxMessageBytes = 16_000_000;

/** The limit for the variables of a thread, in bytes of JSON. */
export const maxVariablesBytes = 1_000_000;
