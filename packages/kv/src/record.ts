import {
  AgentStateError,
  type Control,
  layoutVersion,
  type Stored,
  type StoredAbsence,
  type StoredThread,
  type StoreWrite,
} from '@agent-state/core';

/** A whole thread, as it lies under one key: one JSON text, which no store's own serialization changes. */
interface ThreadRecord {
  readonly control: Control;
  /** The schema of all but the variables, which a save may leave as they are. */
  readonly schema: number;
  readonly head: object;
  readonly variables: Stored;
  readonly history: readonly object[];
  /** Results of open calls, each with the index at which its message will be. */
  readonly ahead: readonly { readonly index: number; readonly message: object }[];
}

/** A thread that can be read, with the control that says which write it is. */
export interface Found extends StoredThread {
  readonly control: Control;
}

/** The record after a write that was admitted on `found`. */
export function toText({ control, head, variables, state }: StoreWrite, found: Found | StoredAbsence): string {
  const record: ThreadRecord = {
    control,
    schema: head.schema,
    head: head.value,
    variables: variables ? { schema: variables.schema, value: variables.value } : storedVariables(found),
    history: state.history,
    ahead: (state.run?.calls ?? []).flatMap(({ result }, position) =>
      result ? [{ index: control.length + position, message: result }] : [],
    ),
  };
  return JSON.stringify(record);
}

function storedVariables(found: Found | StoredAbsence): Stored {
  if (!found.found) throw new TypeError('A create without variables: core sends them with every create.');
  return found.variables;
}

/** What core decodes; it checks each part. Throws `corrupt` for what is no record at all. */
export function fromText(threadId: string, value: unknown): Found {
  const record = parse(value);
  if (!isObject(record) || !isObject(record.control)) throw foreign(threadId);
  if (isNewer(record.control)) return unread(record.control);
  if (!isRecord(record)) throw foreign(threadId);
  const { control, schema, head, variables, history, ahead } = record;
  const stored = (part: unknown) => ({ schema, value: part });
  return {
    found: true,
    control,
    head: stored(head),
    variables,
    messages: history.map(stored),
    ahead: ahead.map(({ index, message }) => ({ index, message: stored(message) })),
  };
}

export function foreign(threadId: string): AgentStateError {
  return new AgentStateError('corrupt', "The thread's key holds something else. It is left as it is.", { threadId });
}

function parse(value: unknown): unknown {
  if (typeof value !== 'string') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function isNewer({ layout }: Record<string, unknown>): boolean {
  return typeof layout === 'number' && layout > layoutVersion;
}

/** A record of a newer layout may hold anything else. Core refuses it for its layout, which it looks at first. */
function unread(control: unknown): Found {
  return { found: true, control: control as Control, head: '', variables: '', messages: [], ahead: [] };
}

/** Only what core does not check itself. */
function isRecord(value: object): value is ThreadRecord {
  const { schema, variables, history, ahead } = value as Partial<ThreadRecord>;
  if (!isObject(variables) || typeof variables.schema !== 'number') return false;
  if (typeof schema !== 'number' || !Array.isArray(history) || !Array.isArray(ahead)) return false;
  return ahead.every(isObject);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
