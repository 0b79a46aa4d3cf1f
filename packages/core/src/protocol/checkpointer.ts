import type { RunPhase, StepRecord, ThreadHead, ThreadState, ThreadStateInput } from '../state/schema.ts';
import type { Capabilities } from './capabilities.ts';
import type { Position, TimeToLive } from './position.ts';

/** A thread as it was saved. The state is deeply frozen. */
export interface Checkpoint extends Position {
  readonly found: true;
  readonly state: ThreadState;
}

/** The store positively said that there is no such thread. Everything else throws. */
export interface Absence {
  readonly found: false;
  /** The etag of the tombstone where the thread was deleted, else null. */
  readonly tombstone: string | null;
}

/** What there is of a thread, without its history: bounded in size, one call. */
export interface Glimpse extends Position {
  readonly found: true;
  /** The state without `history` and without results; `variables` are left out as well. */
  readonly head: ThreadHead;
}

/** One save. Only what is new is sent to a store that can append. */
export interface CheckpointWrite {
  /** The whole state after this save. */
  readonly state: ThreadStateInput;
  /**
   * What this save builds on: it is done only if that is still what is stored (`conflict` or `deleted` otherwise).
   * An {@link Absence}: create. Left out: unconditional, replaces whatever is there, as long as it can be read.
   */
  readonly base?: Position | (Absence & { readonly generation?: number });
  /** Unique per attempt, chosen by the writer, by which it finds its own write again. Default: a new one. */
  readonly writeId?: string;
  /** How much of the history is stored already: `base.length` to append to it, 0 (the default) to replace it. */
  readonly appendedFrom?: number;
  /** Whether `variables` differ from what is stored; default true. Ignored on create. */
  readonly variablesChanged?: boolean;
  /** The records of all steps since the last acknowledged save. */
  readonly steps?: readonly Omit<StepRecord, 'revision' | 'generation'>[];
  /** Default: what the record has; for a new one: for ever. */
  readonly ttl?: TimeToLive;
}

export interface StepsOptions {
  /** The first step record to return, counted from 0; default 0. */
  readonly from?: number;
  /** How many at most; default and maximum 1,000. */
  readonly limit?: number;
}

/** What a listing shows of a thread. */
export interface ThreadSummary {
  readonly threadId: string;
  readonly agentProfile: string;
  readonly currentStep: number;
  readonly updatedAt: string;
  readonly phase: RunPhase;
  /** Until when the thread is paused, where it is and the pause has an end. */
  readonly wakeAt?: string;
  readonly revision: number;
  readonly length: number;
}

export interface ListOptions {
  /** How many at most, 1 to 1,000; default 100. */
  readonly limit?: number | undefined;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
}

/** Every condition given must hold. Values are literals, never operators or patterns. */
export interface ThreadQuery extends ListOptions {
  readonly agentProfile?: string | undefined;
  /** `updated_at` at or after this instant: ISO 8601 with a zone, or a date. */
  readonly updatedFrom?: string | undefined;
  /** `updated_at` before this instant: ISO 8601 with a zone, or a date. */
  readonly updatedBefore?: string | undefined;
  /** Threads whose run is in this phase; `idle` also those on which no agent has run. */
  readonly phase?: RunPhase | undefined;
  /** Threads that are due at this instant: paused until then or until an earlier time. ISO 8601 with a zone, or a date. */
  readonly dueAt?: string | undefined;
  /** Top-level variables that equal these values. */
  readonly variables?: Readonly<Record<string, string | number | boolean | null>> | undefined;
  /** Threads in which this tool was called or answered. */
  readonly toolName?: string | undefined;
  /** Threads with a message whose text contains this, letter by letter, case included. */
  readonly text?: string | undefined;
}

export interface ThreadPage {
  /** Newest `updated_at` first; of the same instant, by thread id. */
  readonly threads: readonly ThreadSummary[];
  /** Give it to the next call; absent on the last page. */
  readonly cursor?: string;
}

/**
 * A provider of the specification's CheckpointProtocol. Adapters make one with `defineCheckpointer`, which checks
 * every argument before any I/O and holds the rules that are the same on every store.
 */
export interface Checkpointer {
  readonly name: string;
  readonly capabilities: Capabilities;

  /**
   * The thread as last saved, or its absence. A failed read throws and never looks like a new thread: `unavailable`,
   * `denied`, `corrupt` (stored, but not readable whole), `schema_too_new`, `invalid_thread_id`, `closed`.
   */
  load(threadId: string): Promise<Checkpoint | Absence>;

  /** As `load`, without the history. */
  peek(threadId: string): Promise<Glimpse | Absence>;

  /**
   * All of the write or nothing of it, atomically where `capabilities.conditional`. Throws `conflict` (with what is
   * there now), `deleted`, `too_large`, `not_serializable`, `invalid_state` and what `load` throws. After
   * `unavailable` with `applied: 'maybe'`, load and look for the write id.
   */
  save(threadId: string, write: CheckpointWrite): Promise<Position>;

  /** Removes every byte of the thread and leaves a tombstone. Resolves when all is gone. */
  delete(threadId: string): Promise<void>;

  /** Step records, oldest first. `unsupported` where the capability is false. */
  steps(threadId: string, options?: StepsOptions): Promise<readonly StepRecord[]>;

  /** Threads, newest first. `unsupported` where the capability is false. */
  list(options?: ListOptions): Promise<ThreadPage>;

  /** Threads that match, newest first. `unsupported` where the capability is false. */
  query(query: ThreadQuery): Promise<ThreadPage>;

  /** Told by the core when a call missed its deadline: a client that the adapter made is discarded and made anew. */
  reset(): void;

  /** Lets go of what the adapter opened; a client that was given to it stays open. Further calls throw `closed`. */
  close(): Promise<void>;
}
