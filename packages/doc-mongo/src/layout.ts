import {
  AgentStateError,
  type Control,
  type JsonObject,
  type JsonValue,
  type Stored,
  type StoreWrite,
  type ThreadState,
  wakeAtOf,
} from '@agent-state/core';
import { isCarriable, isCarriableKey, toStored } from './bson.ts';

/** Where messages or steps that no longer lie in the thread's document are; `_id` is {@link chunkId}. */
export interface ChunkRef {
  readonly id: string;
  /** The index of its first item. */
  readonly from: number;
}

/** A stretch of the history or of the steps. Immutable, but for the expiry. */
export interface ChunkDocument {
  readonly _id: string;
  readonly layout: number;
  readonly thread: string;
  /** The id within the thread: what the thread's document names it by. */
  readonly name: string;
  readonly kind: 'messages' | 'steps';
  readonly born: string;
  readonly generation: number;
  readonly from: number;
  /** How long the history was; what lies behind was ahead of its turn. */
  readonly length: number;
  /** By position from `from` on; null where nothing is. */
  readonly items: readonly (Stored | null)[];
  readonly expires_at?: Date;
}

/** How the part of the thread that is not sealed stands; small, so that a save can decide without the whole. */
export interface Tail {
  /** The index of the first message, and of the first step, that lies in the thread's document. */
  readonly from: number;
  readonly steps_from: number;
  readonly bytes: number;
  readonly steps_bytes: number;
  /** Not before this do the thread's chunks expire: null: never; absent: it has none. */
  readonly until?: Date | null;
}

/**
 * A thread: the specification's fields as they are, `updated` to sort by, and beside them what finds it again. What is
 * not of ours may lie under our `_id` as well, hence `unknown` where it is read.
 */
export interface ThreadDocument {
  readonly _id: string;
  readonly control?: unknown;
  readonly tombstone?: unknown;
  readonly [field: string]: unknown;
}

/** No thread id has a control character, so the two parts can always be told apart. */
export function chunkId(threadId: string, name: string): string {
  return `${threadId}\n${name}`;
}

/** Fields of the head that have a place of their own; the others lie in `extra`. */
const named = new Set(['schema_version', 'agent_profile', 'current_step', 'updated_at', 'run']);

/** What of the head every save changes. Where BSON would change it, `head` has its text and the rest is for queries. */
export function headFields({ head, state }: Pick<StoreWrite, 'head' | 'state'>): Record<string, unknown> {
  const isText = typeof toStored(head).stored === 'string';
  return {
    current_step: state.current_step,
    updated_at: state.updated_at,
    updated: new Date(state.updated_at),
    run: isText ? queriedOf(state) : (head.value.run ?? null),
  };
}

/** Of the run what a query asks for. */
function queriedOf(state: ThreadState): JsonObject {
  const wakeAt = wakeAtOf(state);
  return { phase: state.run?.phase ?? 'idle', ...(wakeAt === undefined ? {} : { pause: { wake_at: wakeAt } }) };
}

/** What of the head stays as it is from save to save, as a rule; sent only where it did not. */
export function steadyFields({ head, state }: Pick<StoreWrite, 'head' | 'state'>): Record<string, unknown> {
  const { stored } = toStored(head);
  const isText = typeof stored === 'string';
  return {
    schema_version: state.schema_version,
    agent_profile: state.agent_profile,
    extra: isText ? null : extraOf(head.value),
    head: isText ? stored : null,
  };
}

function extraOf(head: JsonObject): JsonObject | null {
  const extra = Object.entries(head).filter(([key]) => !named.has(key));
  return extra.length > 0 ? Object.fromEntries(extra) : null;
}

/** As for the head: where BSON would change the variables, the plain ones are there natively, for queries. */
export function variablesFields(variables: NonNullable<StoreWrite['variables']>): Record<string, unknown> {
  const { stored } = toStored(variables);
  const isText = typeof stored === 'string';
  return {
    variables: isText ? plainOnes(variables.value) : variables.value,
    variables_text: isText ? stored : null,
  };
}

function plainOnes(variables: JsonObject): JsonObject {
  const isPlain = ([key, value]: [string, JsonValue]) =>
    isCarriableKey(key) && (typeof value !== 'object' || value === null) && isCarriable(value);
  return Object.fromEntries(Object.entries(variables).filter(isPlain));
}

export function storedHead(document: ThreadDocument): Stored {
  if (typeof document.head === 'string') return document.head;
  const own = ['schema_version', 'agent_profile', 'current_step', 'updated_at'].map((key) => [key, document[key]]);
  const run = document.run ? [['run', document.run]] : [];
  // By entries, so that `__proto__` stays an ordinary key.
  const value = Object.fromEntries([...Object.entries(document.extra ?? {}), ...own, ...run]);
  return { schema: schemaOf(document, 'head'), value };
}

export function storedVariables(document: ThreadDocument): Stored {
  if (typeof document.variables_text === 'string') return document.variables_text;
  return { schema: schemaOf(document, 'variables'), value: document.variables };
}

function schemaOf(document: ThreadDocument, part: 'head' | 'variables'): number {
  return (document.schema as Record<string, number> | undefined)?.[part] ?? Number.NaN;
}

export function isTombstone(document: ThreadDocument): document is ThreadDocument & { readonly tombstone: string } {
  return document.control === undefined && typeof document.tombstone === 'string';
}

/** The control as far as the store itself needs it; whether it is whole is decided in core. */
export function controlOf(document: ThreadDocument | null): Partial<Control> {
  const control = document?.control;
  return typeof control === 'object' && control !== null ? control : {};
}

/** The named chunks of a thread. */
export function chunksOf(document: ThreadDocument, field: 'chunks' | 'step_chunks'): readonly ChunkRef[] {
  return array(document, field) as readonly ChunkRef[];
}

/** The items of a thread's document; what is no array was not written by us. */
export function itemsOf(document: ThreadDocument, field: 'history' | 'steps'): readonly (Stored | null)[] {
  return array(document, field) as readonly (Stored | null)[];
}

function array(document: ThreadDocument, field: string): readonly unknown[] {
  const value = document[field];
  if (Array.isArray(value)) return value;
  throw corrupt(document._id, `${field} is not what this library stores`, field);
}

export function corrupt(threadId: string, what: string, path?: string): AgentStateError {
  return new AgentStateError('corrupt', `The thread's record cannot be read: ${what}. It is left as it is.`, {
    threadId,
    ...(path !== undefined && { path }),
  });
}
