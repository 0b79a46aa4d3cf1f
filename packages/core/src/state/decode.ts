import * as v from 'valibot';
import type { Absence, Checkpoint, Glimpse } from '../protocol/checkpointer.ts';
import { AgentStateError, isAgentStateError } from '../protocol/errors.ts';
import type { Position } from '../protocol/position.ts';
import {
  layoutVersion,
  type Stored,
  type StoredAbsence,
  type StoredHead,
  type StoredThread,
} from '../protocol/store.ts';
import { asMessage, assertShape } from './encode.ts';
import { freezeParsed, type JsonObject, maxPartDepth, toJson } from './json.ts';
import { migrate, type StoredPart } from './migrations.ts';
import { headSchema, type Message, type StepRecord, stepSchema, type ThreadHead } from './schema.ts';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const limit = v.nullable(v.pipe(v.number(), v.minValue(0)));
const controlSchema = v.looseObject({
  etag: v.string(),
  revision: count,
  life: v.looseObject({ born: v.string(), after: v.nullable(v.string()) }),
  generation: count,
  length: count,
  steps: count,
  ttl: v.looseObject({ ttlMs: limit, pausedTtlMs: limit }),
});

/**
 * What a store gave, read whole or refused: `corrupt` where it does not parse, fit the schema or match the length,
 * `schema_too_new` where a newer release wrote it.
 */
export function decodeThread(threadId: string, stored: StoredThread | StoredAbsence): Checkpoint | Absence {
  return reading(threadId, () => {
    if (!stored.found) return { found: false, tombstone: stored.tombstone };
    const { head, found, ...position } = readHead(stored);
    if (stored.messages.length !== position.length) {
      throw corrupt(
        `${stored.messages.length} messages are stored where the record says ${position.length}.`,
        'history',
      );
    }
    const history = stored.messages.map((message, index) => readMessage(message, `history[${index}]`));
    const state = Object.freeze({
      ...withResults(head, position.length, stored),
      variables: readPart('variables', stored.variables, 'variables'),
      history: Object.freeze(history),
    });
    return Object.freeze({ found, state, ...position });
  });
}

export function decodeHead(threadId: string, stored: StoredHead | StoredAbsence): Glimpse | Absence {
  return reading(threadId, () =>
    stored.found ? Object.freeze(readHead(stored)) : { found: false, tombstone: stored.tombstone },
  );
}

/**
 * What a delete has to know: which life there is. It reads no more than that, so a thread can be forgotten whose state
 * cannot be read; what is not of this library, or of a newer layout, is refused all the same.
 */
export function decodeLife(
  threadId: string,
  stored: StoredHead | StoredAbsence,
): ({ readonly found: true } & Pick<Position, 'life' | 'ttl'>) | Absence {
  return reading(threadId, () =>
    stored.found ? { found: true, ...readControl(stored.control) } : { found: false, tombstone: stored.tombstone },
  );
}

export function decodeStep(threadId: string, stored: Stored): StepRecord {
  return reading(threadId, () => {
    const step = readPart('step', stored, 'step');
    assertShape(stepSchema, step, 'step');
    return step as unknown as StepRecord;
  });
}

function readHead(stored: StoredHead): Glimpse {
  const control = readControl(stored.control);
  const head = readPart('head', stored.head, 'state');
  assertShape(headSchema, head, 'state');
  const thread = head as unknown as ThreadHead;
  const ahead = (thread.run?.calls ?? []).flatMap(({ status }, position) =>
    status === 'done' || status === 'failed' ? [control.length + position] : [],
  );
  return { found: true, ...control, ahead: Object.freeze(ahead), updatedAt: thread.updated_at, head: thread };
}

function readControl(control: unknown): Omit<Position, 'ahead' | 'updatedAt'> {
  const { layout } = (control ?? {}) as { layout?: unknown };
  if (typeof layout === 'number' && layout > layoutVersion) {
    throw new AgentStateError(
      'schema_too_new',
      `The thread was written in layout ${layout}; this release reads up to ${layoutVersion}. Upgrade to go on; nothing was changed.`,
    );
  }
  if (layout !== layoutVersion) throw corrupt('What is stored is not a thread of this library.');
  assertShape(controlSchema, control, 'record');
  const { etag, revision, life, generation, length, steps, ttl } = control as unknown as Omit<
    Position,
    'ahead' | 'updatedAt'
  >;
  return freezeParsed({ etag, revision, life, generation, length, steps, ttl }, 'record');
}

/** Puts each result that was stored ahead back where the state has it: in its open call. */
function withResults(head: ThreadHead, length: number, stored: StoredThread): ThreadHead {
  const { run } = head;
  if (!run || run.calls.length === 0) return head;
  const ahead = new Map(stored.ahead.map(({ index, message }) => [index, message]));
  const calls = run.calls.map((call, position) => {
    if (call.status !== 'done' && call.status !== 'failed') return call;
    const message = ahead.get(length + position);
    if (message === undefined)
      throw corrupt(`The result of call ${position} is missing.`, `run.calls[${position}].result`);
    return Object.freeze({ ...call, result: readMessage(message, `run.calls[${position}].result`) });
  });
  return { ...head, run: Object.freeze({ ...run, calls: Object.freeze(calls) }) };
}

function readMessage(stored: Stored, path: string): Message {
  return asMessage(readPart('message', stored, path), path);
}

function readPart(part: StoredPart, stored: Stored, path: string): JsonObject {
  if (typeof stored === 'string') {
    const { schema, value } = parse(stored, path);
    return freezeParsed(migrate(part, asObject(value, path), schema), path);
  }
  if (typeof stored !== 'object' || stored === null) throw corrupt(`${path} is missing.`, path);
  // A native value may hold what JSON does not: somebody else can have written to the store.
  return toJson(migrate(part, asObject(stored.value, path), stored.schema), path, maxPartDepth) as JsonObject;
}

function asObject(value: unknown, path: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw corrupt(`${path} is not an object.`, path);
  return value as JsonObject;
}

function parse(text: string, path: string): { schema: number; value: unknown } {
  const start = text.indexOf('{');
  if (!/^\d+$/.test(text.slice(0, Math.max(start, 0)))) throw corrupt(`${path} has no schema in front.`, path);
  try {
    return { schema: Number(text.slice(0, start)), value: JSON.parse(text.slice(start)) };
  } catch {
    // The parser's message quotes what it read, which is content: it is not kept.
    throw corrupt(`${path} is not JSON.`, path);
  }
}

function corrupt(message: string, path?: string): AgentStateError {
  return new AgentStateError('corrupt', `${message} It is left as it is.`, path === undefined ? {} : { path });
}

/** Names the thread, and turns a shape that does not fit into what it is here: a stored record that cannot be read. */
function reading<T>(threadId: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isAgentStateError(error)) throw error;
    const unreadable = error.code === 'invalid_state' || error.code === 'not_serializable';
    const code = unreadable ? 'corrupt' : error.code;
    throw new AgentStateError(code, error.message, { threadId, ...(error.path ? { path: error.path } : {}) });
  }
}
