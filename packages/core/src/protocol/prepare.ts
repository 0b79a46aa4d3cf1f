import { assertShape, encode, headOf, resultsAhead, toState } from '../state/encode.ts';
import { type JsonObject, maxPartDepth, toJson } from '../state/json.ts';
import { stepSchema, type ThreadState } from '../state/schema.ts';
import { type Capabilities, maxVariablesBytes } from './capabilities.ts';
import type { Absence, CheckpointWrite } from './checkpointer.ts';
import { AgentStateError } from './errors.ts';
import type { Position, TimeToLive } from './position.ts';
import { type Control, type Encoded, layoutVersion, type Placed, type StoreWrite } from './store.ts';

/** For ever. */
export const immortal: TimeToLive = Object.freeze({ ttlMs: null, pausedTtlMs: null });

/** What a save builds on: a record, or the absence of one. */
export type Base = Position | (Absence & { readonly generation?: number });

/**
 * A save as the store gets it: everything is checked, encoded and computed here, before any I/O, once for all stores.
 */
export function prepare(
  write: CheckpointWrite,
  base: Base,
  writeId: string,
  now: number,
  limits: Pick<Capabilities, 'maxMessageBytes' | 'maxStateBytes'>,
): StoreWrite {
  const stored = isAbsence(base) ? undefined : base;
  const state = notBackwards(toState(write.state, now), stored);
  const replaces = !appends(write, stored, state);
  const ttl = checkedTtl(write.ttl ?? stored?.ttl ?? immortal);
  const control: Control = {
    layout: layoutVersion,
    etag: writeId,
    revision: (stored?.revision ?? 0) + 1,
    life: stored?.life ?? { born: writeId, after: (base as Absence).tombstone },
    generation: stored ? stored.generation + (replaces ? 1 : 0) : ((base as { generation?: number }).generation ?? 0),
    length: state.history.length,
    steps: (stored?.steps ?? 0) + (write.steps?.length ?? 0),
    ttl,
  };
  const variables = !stored || (write.variablesChanged ?? true) ? encode(state.variables) : undefined;
  const prepared: StoreWrite = {
    expected: stored?.etag ?? null,
    expectedLength: stored?.length ?? 0,
    expectedLife: stored?.life ?? null,
    replaces,
    control,
    head: encode(toJson(headOf(state), 'state', maxPartDepth) as JsonObject),
    variables,
    messages: newMessages(state, replaces ? undefined : stored),
    steps: newSteps(write, control, stored?.steps ?? 0),
    expiresInMs: state.run?.phase === 'paused' ? pausedMs(ttl) : ttl.ttlMs,
    state,
  };
  assertSizes(prepared, limits);
  return prepared;
}

/** Where the record stands once the write is stored. */
export function positionAfter(write: StoreWrite): Position {
  const { layout: _layout, ...control } = write.control;
  return Object.freeze({
    ...control,
    ahead: Object.freeze(resultsAhead(write.state).map(({ index }) => index)),
    updatedAt: write.state.updated_at,
  });
}

/** Whether nothing is built on. */
export function isAbsence(base: Base): base is Exclude<Base, Position> {
  return 'found' in base && base.found === false;
}

function notBackwards(state: ThreadState, stored: Position | undefined): ThreadState {
  if (!stored || Date.parse(state.updated_at) >= Date.parse(stored.updatedAt)) return state;
  return Object.freeze({ ...state, updated_at: stored.updatedAt });
}

function appends(write: CheckpointWrite, stored: Position | undefined, state: ThreadState): boolean {
  const from = write.appendedFrom ?? 0;
  if (from !== 0 && from !== stored?.length) {
    throw invalid('appendedFrom', `has to be the stored length (${stored?.length ?? 0}) or 0, not ${from}`);
  }
  if (state.history.length < from) {
    throw invalid('appendedFrom', `is ${from}, but the history has ${state.history.length} messages`);
  }
  return stored !== undefined && from === stored.length;
}

function newMessages(state: ThreadState, stored: Position | undefined): Placed<JsonObject>[] {
  const known = new Set(stored?.ahead);
  const start = stored?.length ?? 0;
  // What is stored ahead is not sent again, so it has to be what the history goes on with.
  const other = stored?.ahead.find((index) => index < state.history.length && state.history[index]?.role !== 'tool');
  if (other !== undefined) {
    throw invalid(`history[${other}]`, 'has to be the result that is stored there, or the history has to be replaced');
  }
  const messages = state.history.slice(start).map((message, offset) => ({ index: start + offset, message }));
  return [...messages, ...resultsAhead(state)]
    .filter(({ index }) => !known.has(index))
    .map(({ index, message }) => ({ index, ...encode(message as unknown as JsonObject) }));
}

function newSteps(write: CheckpointWrite, control: Control, start: number): Placed<JsonObject>[] {
  const { revision, generation } = control;
  return (write.steps ?? []).map((step, offset) => {
    const path = `steps[${offset}]`;
    const record = toJson({ revision, generation, ...step }, path, maxPartDepth);
    assertShape(stepSchema, record, path);
    return { index: start + offset, ...encode(record as JsonObject) };
  });
}

/** Never shorter than while it is not paused. */
function pausedMs({ ttlMs, pausedTtlMs }: TimeToLive): number | null {
  return ttlMs === null || pausedTtlMs === null ? null : Math.max(ttlMs, pausedTtlMs);
}

export function checkedTtl({ ttlMs, pausedTtlMs }: TimeToLive): TimeToLive {
  for (const [name, ms] of Object.entries({ ttlMs, pausedTtlMs })) {
    if (ms !== null && !(Number.isSafeInteger(ms) && ms > 0)) {
      throw invalid(`ttl.${name}`, 'has to be a whole number of milliseconds above 0, or null');
    }
  }
  return { ttlMs, pausedTtlMs };
}

function assertSizes(write: StoreWrite, { maxMessageBytes, maxStateBytes }: Parameters<typeof prepare>[4]): void {
  for (const message of write.messages) assertSize(`history[${message.index}]`, jsonOf(message), maxMessageBytes);
  if (write.variables) assertSize('variables', jsonOf(write.variables), maxVariablesBytes);
  assertSize('state', jsonOf(write.head), maxMessageBytes);
  if (Number.isFinite(maxStateBytes)) assertSize('state', JSON.stringify(write.state), maxStateBytes);
}

/** Limits count the JSON, not the schema in front of it. */
function jsonOf({ text, schema }: Encoded<JsonObject>): string {
  return text.slice(String(schema).length);
}

function assertSize(path: string, text: string, limitBytes: number): void {
  // A character has at most three bytes of UTF-8 a code unit, so short ones need no count.
  if (text.length * 3 <= limitBytes) return;
  const actualBytes = Buffer.byteLength(text);
  if (actualBytes <= limitBytes) return;
  const message = `${path} has ${actualBytes} bytes; ${limitBytes} are allowed. Nothing was written.`;
  throw new AgentStateError('too_large', message, { path, limitBytes, actualBytes });
}

function invalid(path: string, what: string): AgentStateError {
  return new AgentStateError('invalid_argument', `${path} ${what}.`, { path });
}
