/** Which existence of a thread a record belongs to: a delete ends one, the next create begins another. */
export interface Life {
  /** The write id of the save that created the record. */
  readonly born: string;
  /** The tombstone that it was created over, or null. */
  readonly after: string | null;
}

/** How long a thread lives after its last save, in milliseconds; null: for ever. */
export interface TimeToLive {
  readonly ttlMs: number | null;
  /** The longer limit while the thread is paused. */
  readonly pausedTtlMs: number | null;
}

/**
 * Where a record stands: all that a save has to know to build on it. A load gives one, and so does each save.
 */
export interface Position {
  /** Unique for every write, and the only thing compared. It is the write id of the save that made the record. */
  readonly etag: string;
  /** 1, 2, 3 … per save; for people and for ordering. */
  readonly revision: number;
  readonly life: Life;
  /** +1 each time the history is replaced. */
  readonly generation: number;
  /** How many messages the history has. */
  readonly length: number;
  /** How many step records are stored. */
  readonly steps: number;
  /** Indexes from `length` on whose message is stored already: results of open calls, saved ahead of their turn. */
  readonly ahead: readonly number[];
  readonly ttl: TimeToLive;
  /** The state's `updated_at`, which never goes backwards within a thread. */
  readonly updatedAt: string;
}

/** What a refused save found: for {@link AgentStateError.current}. */
export interface ConflictState extends Position {
  readonly claim: string | null;
  readonly epoch: number;
  readonly ownerWrite: string | null;
  readonly requests: readonly string[];
}
