import { AgentStateError, isAgentStateError } from '@agent-state/core';

/** Whether this client itself makes the request again, and how soon the server wants it. */
export interface Again {
  readonly again: boolean;
  readonly afterMs?: number;
}

/** Beside the errors and not in them: callers see `retryable`, and decide for themselves. */
const agains = new WeakMap<AgentStateError, Again>();

export function againOf(error: unknown): Again {
  return (isAgentStateError(error) && agains.get(error)) || { again: false };
}

/** What was tried again in vain, with pauses, is not to be asked for again at once: the tries would multiply. */
export function finalOf(error: unknown, retries: number): unknown {
  if (retries === 0 || !isAgentStateError(error) || !againOf(error).again) return error;
  const { message, cause } = error;
  const said = `${message.replace(/\.$/, '')}, ${retries + 1} times.`;
  return new AgentStateError('model', said, { retryable: false, ...(cause === undefined ? {} : { cause }) });
}

/** What came is no answer: of another shape, cut off, too large. Never shows what came. */
export function wrongAnswer(what: string): AgentStateError {
  return new AgentStateError('model', `The model server's answer ${what}.`, { retryable: true });
}

/** The model itself refused, and would again. */
export function refusedAnswer(what: string): AgentStateError {
  return new AgentStateError('model', `The model server's answer ${what}.`, { retryable: false });
}

export function timedOut(what: string): AgentStateError {
  return new AgentStateError('model', `The model server ${what}.`, { retryable: true });
}

/** The server was not reached, or the connection broke before the answer was whole. */
export function brokenConnection(error: unknown): AgentStateError {
  const cause = withoutContent(error);
  const failure = new AgentStateError('model', `The connection to the model server failed (${cause.message}).`, {
    retryable: true,
    cause,
  });
  agains.set(failure, { again: true });
  return failure;
}

/** Refused by status. `reason` is the server's error code, a word without content. */
export function refusedRequest(
  status: number,
  reason: string | undefined,
  afterMs: number | undefined,
): AgentStateError {
  const retryable = isTransient(status, reason);
  const shown = reason === undefined ? '' : ` (${reason})`;
  const failure = new AgentStateError('model', `The model server answered ${status}${shown}.`, { retryable });
  agains.set(failure, { again: retryable, ...(afterMs === undefined ? {} : { afterMs }) });
  return failure;
}

/** An account without money gets 429 as well, but waiting does not help it. */
const lasting = new Set(['insufficient_quota', 'billing_hard_limit_reached', 'billing_not_active']);

export function isTransient(status: number, reason: string | undefined): boolean {
  return (status === 408 || status === 429 || status >= 500) && !lasting.has(reason ?? '');
}

/**
 * The error code of a failed fetch, and nothing else of it: messages and fields of such errors may hold the request,
 * and with it the key.
 */
function withoutContent(error: unknown): Error {
  const { code, cause, name } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown }; name?: unknown };
  const word = [cause?.code, code, name].find((value) => typeof value === 'string' && /^\w{1,40}$/.test(value));
  return Object.assign(new Error((word as string | undefined) ?? 'unknown'), { code: word });
}
