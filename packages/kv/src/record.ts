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
  const fault = faultIn(record);
  if (fault !== undefined) throw foreign(threadId, fault);
  const { control, schema, head, variables, history, ahead } = record as unknown as ThreadRecord;
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

/** Whether core can read who wrote the record, and over what. */
export function isSound({ layout, life }: Control): boolean {
  return layout === layoutVersion && isObject(life) && (life.after === null || typeof life.after === 'string');
}

export function foreign(threadId: string, path?: string): AgentStateError {
  const what = path === undefined ? 'something else' : `a record whose ${path} cannot be read`;
  return new AgentStateError('corrupt', `The thread's key holds ${what}. It is left as it is.`, {
    threadId,
    ...(path !== undefined && { path }),
  });
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

/** The part that is none; only what core does not check itself. */
function faultIn({ schema, variables, history, ahead }: Record<string, unknown>): keyof ThreadRecord | undefined {
  if (typeof schema !== 'number') return 'schema';
  if (!isObject(variables) || typeof variables.schema !== 'number') return 'variables';
  if (!Array.isArray(history)) return 'history';
  return Array.isArray(ahead) && ahead.every(isObject) ? undefined : 'ahead';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
