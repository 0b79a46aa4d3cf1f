import * as v from 'valibot';
import { AgentStateError } from '../protocol/errors.ts';
import type { Encoded } from '../protocol/store.ts';
import { type JsonObject, type JsonValue, joinPath, maxPartDepth, setOwn, toJson } from './json.ts';
import {
  headSchema,
  type Message,
  messageSchema,
  type OpenCall,
  schemaVersion,
  type ThreadHead,
  type ThreadState,
  type ThreadStateInput,
} from './schema.ts';

const checked = new WeakSet<object>();

/**
 * The state, checked, completed and deeply frozen: a copy of the moment of the call. Throws `not_serializable` or
 * `invalid_state` with the path. Messages that came from here before are not looked at again.
 */
export function toState(input: ThreadStateInput, now: number): ThreadState {
  if (typeof input !== 'object' || input === null) throw invalid('state', 'an object', input);
  const { history, variables = {}, ...rest } = input;
  if (!Array.isArray(history)) throw invalid('history', 'an array', history);
  const { schema_version = schemaVersion, agent_profile = '', current_step = 0, updated_at = isoTime(now) } = rest;
  const given = { ...rest, schema_version, agent_profile, current_step, updated_at };
  const head = toJson(given, 'state', maxPartDepth) as JsonObject;
  assertShape(headSchema, head, 'state');
  assertResults((head as unknown as ThreadHead).run?.calls ?? []);
  return Object.freeze({
    ...(head as unknown as ThreadHead),
    variables: toVariables(variables),
    history: toHistory(history),
  });
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

/** A settled call has its result and no other has one: it could not be read back. */
function assertResults(calls: readonly OpenCall[]): void {
  const fault = calls.findIndex(({ status, result }) => (status === 'done' || status === 'failed') !== Boolean(result));
  if (fault < 0) return;
  const path = `state.run.calls[${fault}].result`;
  throw new AgentStateError('invalid_state', `${path}: expected where the call is done or failed, and only there.`, {
    path,
  });
}

const histories = new WeakSet<object>();

/** A history, checked and frozen; one that came from here is not walked again. */
export function toHistory(input: readonly unknown[]): readonly Message[] {
  if (histories.has(input)) return input as readonly Message[];
  const history = Object.freeze(Array.from(input, (message, index) => toMessage(message, `history[${index}]`)));
  histories.add(history);
  return history;
}

/** `history` with `added` behind it; only what was added is checked. */
export function appendTo(history: readonly Message[], added: readonly unknown[]): readonly Message[] {
  const start = history.length;
  const messages = added.map((message, index) => toMessage(message, `history[${start + index}]`));
  const result = Object.freeze([...toHistory(history), ...messages]);
  histories.add(result);
  return result;
}

/** One message, checked and frozen. */
export function toMessage(input: unknown, path: string): Message {
  if (typeof input === 'object' && input !== null && checked.has(input)) return input as Message;
  return asMessage(toJson(input, path), path);
}

/** Whether the value has the shape of a message; whether JSON carries all of it is not asked. */
export function isMessage(value: unknown): value is Message {
  return checked.has(value as object) || v.safeParse(messageSchema, value, { abortEarly: true }).success;
}

/** A frozen value as the message that it is, or `invalid_state`. */
export function asMessage(value: JsonValue, path: string): Message {
  if (checked.has(value as object)) return value as unknown as Message;
  assertShape(messageSchema, value, path);
  checked.add(value as object);
  return value as unknown as Message;
}

export function toVariables(input: unknown): JsonObject {
  const variables = toJson(input, 'variables');
  if (typeof variables !== 'object' || variables === null || Array.isArray(variables)) {
    throw invalid('variables', 'an object', input);
  }
  return variables as JsonObject;
}

/** Throws `invalid_state` with the path of the first fault; values are not shown. */
export function assertShape(schema: v.GenericSchema, value: unknown, path: string): void {
  const outcome = v.safeParse(schema, value, { abortEarly: true });
  if (outcome.success) return;
  const [issue] = outcome.issues;
  const at = (issue.path ?? []).reduce(
    (before, part) => (typeof part.key === 'number' ? `${before}[${part.key}]` : joinPath(before, String(part.key))),
    path,
  );
  throw new AgentStateError('invalid_state', `${at}: expected ${issue.expected ?? 'another value'}.`, { path: at });
}

function invalid(path: string, expected: string, value: unknown): AgentStateError {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  return new AgentStateError('invalid_state', `${path}: expected ${expected}, got ${kind}.`, { path });
}

/** The value with its text, which carries the schema in front. */
export function encode<T extends JsonObject>(value: T): Encoded<T> {
  return { value, schema: schemaVersion, text: `${schemaVersion}${JSON.stringify(value)}` };
}

/** The state without history, variables and results: what is sent with every save. */
export function headOf(state: ThreadState): JsonObject {
  const head: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(state)) {
    if (key !== 'history' && key !== 'variables') setOwn(head, key, value as JsonValue);
  }
  if (state.run)
    setOwn(head, 'run', { ...state.run, calls: state.run.calls.map(withoutResult) } as unknown as JsonObject);
  return head;
}

function withoutResult({ result: _result, ...call }: OpenCall): OpenCall {
  return call;
}

/** The results that are there ahead of their turn, each with the index at which its message will be. */
export function resultsAhead(state: ThreadState): { index: number; message: Message }[] {
  return (state.run?.calls ?? []).flatMap((call, position) =>
    call.result ? [{ index: state.history.length + position, message: call.result }] : [],
  );
}
