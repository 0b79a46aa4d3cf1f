import {
  AgentStateError,
  layoutVersion,
  type StoredAbsence,
  type StoredHead,
  type StoredThread,
} from '@agent-state/core';

/** A client gave a call what is not the reply to it. */
export class OutOfStep extends Error {
  override name = 'OutOfStep';
}

/**
 * What a script answers to the call of this name. Garbage on a connection can put a client out of step, so that each
 * call is given the reply to another one: another save's success, another thread.
 */
export function answerTo(name: string, reply: unknown): unknown {
  const [echo, answer] = list(reply);
  if (text(echo) !== name) throw new OutOfStep('The client gave a call the reply to another one.');
  return answer;
}

/** What the peek script says. */
export function toHead(reply: unknown): StoredHead | StoredAbsence {
  const [found, first, second] = list(reply);
  if (found !== 1) return { found: false, tombstone: text(first) ?? null };
  return { found: true, control: parse(text(first)), head: text(second) ?? '' };
}

/** What the load script says. */
export function toThread(reply: unknown): StoredThread | StoredAbsence {
  const head = toHead(reply);
  if (!head.found) return head;
  const [, , , variables, messages] = list(reply);
  const texts = list(messages ?? []).map(text);
  const length = lengthOf(head.control);
  const history = texts.slice(0, length);
  // Up to the first that is missing: what is behind a gap is no history, and the length tells.
  const gap = history.indexOf(undefined);
  return {
    ...head,
    variables: text(variables) ?? '',
    messages: (gap < 0 ? history : history.slice(0, gap)) as string[],
    ahead: texts.slice(length).flatMap((message, offset) => {
      return message === undefined ? [] : [{ index: length + offset, message }];
    }),
  };
}

/** What the steps script says of `limit` step records from `from` on. */
export function toSteps(threadId: string, reply: unknown, from: number): string[] {
  const head = toHead(reply);
  if (!head.found) return [];
  const [, , , values] = list(reply);
  if (values === undefined) throw unreadable(threadId, head.control);
  const count = Math.max(0, Number((head.control as { steps?: unknown }).steps) - from);
  const steps = list(values).slice(0, count).map(text);
  if (steps.includes(undefined)) throw corrupt(threadId, 'A step record is missing.');
  return steps as string[];
}

function lengthOf(control: unknown): number {
  const { length } = (control ?? {}) as { length?: unknown };
  return typeof length === 'number' ? length : 0;
}

function unreadable(threadId: string, control: unknown): AgentStateError {
  const { layout } = (control ?? {}) as { layout?: unknown };
  if (!(typeof layout === 'number' && layout > layoutVersion)) {
    return corrupt(threadId, 'What is stored is not a thread of this library.');
  }
  return new AgentStateError('schema_too_new', `The thread was written in layout ${layout}. Upgrade to go on.`, {
    threadId,
  });
}

function corrupt(threadId: string, message: string): AgentStateError {
  return new AgentStateError('corrupt', `${message} It is left as it is.`, { threadId });
}

/** Undefined for what is not JSON, which is no control record either. */
function parse(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? '');
  } catch {
    return undefined;
  }
}

/** A client may be set to give buffers. */
function text(value: unknown): string | undefined {
  if (Buffer.isBuffer(value)) return value.toString('utf8');
  return typeof value === 'string' ? value : undefined;
}

function list(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : [];
}
