import type { JsonObject } from '../state/json.ts';
import type { RunPhase, ThreadState } from '../state/schema.ts';
import type { Capabilities } from './capabilities.ts';
import type { StepsOptions, ThreadSummary } from './checkpointer.ts';
import type { Life, TimeToLive } from './position.ts';

/** The number of the layout that this release writes: keys, tables, fields. The schema covers the state alone. */
export const layoutVersion = 1;

/** What a record says of itself. It is small, and stored as it is given. */
export interface Control {
  readonly layout: number;
  readonly etag: string;
  readonly revision: number;
  readonly life: Life;
  readonly generation: number;
  readonly length: number;
  readonly steps: number;
  readonly ttl: TimeToLive;
}

/**
 * A value as it lies in a store: JSON text where `text` was stored, or the native value where `value` was. Text
 * carries the schema version in which it was written in front (`1{"role":…}`); a native value has it beside it.
 */
export type Stored = string | { readonly schema: number; readonly value: unknown };

/** What is to be stored: adapters take the text or the native value, whichever their store holds better. */
export interface Encoded<T> {
  readonly text: string;
  readonly schema: number;
  readonly value: T;
}

/** A message or step record with its place. */
export interface Placed<T> extends Encoded<T> {
  readonly index: number;
}

/** A save as a store gets it: checked, encoded, and with everything computed that does not need the store. */
export interface StoreWrite {
  /** The etag of the record that has to be there; null: there must be none, and no other tombstone than `control.life.after`. */
  readonly expected: string | null;
  /** The length that the record has to have; a different one is `corrupt`. 0 on create. */
  readonly expectedLength: number;
  /** The life that the record has to have been in; null on create. */
  readonly expectedLife: Life | null;
  /** Whether the messages stored so far go (a create, or a new generation). Step records stay. */
  readonly replaces: boolean;
  readonly control: Control;
  /** The state without history, variables and results. */
  readonly head: Encoded<JsonObject>;
  /** Left out where they are stored already. */
  readonly variables: Encoded<JsonObject> | undefined;
  /** Those that are not stored yet. From `control.length` on: results of open calls, ahead of their turn. */
  readonly messages: readonly Placed<JsonObject>[];
  readonly steps: readonly Placed<JsonObject>[];
  /** When the whole thread expires, counted from this save by the store's clock; null: never. */
  readonly expiresInMs: number | null;
  /** The whole, for stores that keep the whole. */
  readonly state: ThreadState;
}

/** What a store has of a thread without its history. */
export interface StoredHead {
  readonly found: true;
  readonly control: unknown;
  readonly head: Stored;
}

/** A whole thread as a store has it. */
export interface StoredThread extends StoredHead {
  readonly variables: Stored;
  /** By index, without a gap, `control.length` of them. */
  readonly messages: readonly Stored[];
  /** Messages stored ahead, from `control.length` on. */
  readonly ahead: readonly { readonly index: number; readonly message: Stored }[];
}

/** There is no thread; the store said so. An expired record is absent. */
export interface StoredAbsence {
  readonly found: false;
  readonly tombstone: string | null;
}

/** Which record a delete may remove: this life, or nothing but the tombstone it saw (null: not even that). */
export type Burial =
  | { readonly born: string; readonly tombstone: string; readonly keepMs: number }
  | { readonly born: null; readonly was: string | null; readonly tombstone: string; readonly keepMs: number };

/**
 * The implementor's half of a checkpointer. Ids, namespaces and values are checked before any of these is called, so
 * an implementation may trust them. Each throws `AgentStateError`: `unavailable` with `applied` for an outage,
 * `denied`, `corrupt` for a foreign value, `closed`.
 */
export interface CheckpointStore {
  readonly name: string;
  readonly capabilities: Capabilities;

  /** Everything of the thread, as one write left it: never parts of two. */
  load(threadId: string): Promise<StoredThread | StoredAbsence>;

  /** The same without the history; bounded in size. */
  peek(threadId: string): Promise<StoredHead | StoredAbsence>;

  /**
   * Stores the write whole if what is there is what it expects ({@link admits}), and says what it found otherwise,
   * having changed nothing. Atomic and conditional where the capabilities say so.
   */
  save(threadId: string, write: StoreWrite): Promise<SaveOutcome>;

  /**
   * Removes the life that is named, chunks and steps included, and leaves the tombstone, which lasts `keepMs`.
   * Resolves to false, having changed nothing, where something else is there by now.
   */
  bury(threadId: string, burial: Burial): Promise<boolean>;

  steps?(threadId: string, options: Required<StepsOptions>): Promise<readonly Stored[]>;
  /** Threads that match, by `updated_at` (latest first), then by id; at most `limit`, behind `after`. For list and query. */
  find?(query: StoreQuery): Promise<readonly ThreadSummary[]>;

  /** Discards a client that the adapter made, after a missed deadline. */
  reset?(): void;

  close(): Promise<void>;
}

/** A query as a store gets it: checked, instants in milliseconds. Every condition given has to hold. */
export interface StoreQuery {
  readonly limit: number;
  readonly after?: { readonly updatedAt: number; readonly threadId: string };
  readonly agentProfile?: string;
  readonly updatedFrom?: number;
  readonly updatedBefore?: number;
  readonly phase?: RunPhase;
  /** Holds where `wakeAtOf(state)` is this or earlier. Both are written in one form, in which texts sort as their times do. */
  readonly dueAt?: string;
  readonly variables?: Readonly<Record<string, string | number | boolean | null>>;
  readonly toolName?: string;
  readonly text?: string;
}

export type SaveOutcome =
  | { readonly saved: true }
  | { readonly saved: false; readonly found: StoredHead | StoredAbsence };
