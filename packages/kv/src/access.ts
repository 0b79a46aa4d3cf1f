import { AgentStateError, isAgentStateError, systemRuntime, withDeadline } from '@agent-state/core';
import { assertOwnAdapter, type Settings } from './options.ts';
import { foreign } from './record.ts';

/** Keyv's calls, each within its deadline and with the errors of the protocol. */
export interface Access {
  /** The value, or undefined where the store positively has none. */
  read(threadId: string, key: string): Promise<unknown>;
  write(threadId: string, key: string, value: string, expiresInMs: number | null): Promise<void>;
  remove(threadId: string, key: string): Promise<void>;
}

export function accessTo({ keyv, timeoutMs }: Pick<Settings, 'keyv' | 'timeoutMs'>): Access {
  const enter = oneFirst();
  const call = async <T>(threadId: string, applied: 'no' | 'maybe', act: () => Promise<T>): Promise<T> => {
    assertOwnAdapter(keyv);
    try {
      return await enter(() => withDeadline(systemRuntime, timeoutMs, 'Keyv', act));
    } catch (error) {
      throw toError(error, applied, threadId);
    }
  };
  const get = (threadId: string, key: string) => call(threadId, 'no', async () => keyv.get<unknown>(key));

  return {
    async read(threadId, key) {
      const value = await get(threadId, key);
      if (value !== undefined && value !== null) return value;
      // Keyv gives undefined for a value that it did not write, too.
      const isThere = await call(threadId, 'no', async () => keyv.has(key));
      if (!isThere) return undefined;
      const again = await get(threadId, key);
      if (again === undefined || again === null) throw foreign(threadId);
      return again;
    },
    async write(threadId, key, value, expiresInMs) {
      // 0 is for ever; left out, it would be the default of the Keyv.
      const done = await call(threadId, 'maybe', async () => keyv.set(key, value, expiresInMs ?? 0));
      if (!done) throw unavailable('maybe', threadId);
    },
    async remove(threadId, key) {
      await call(threadId, 'maybe', async () => keyv.delete(key));
    },
  };
}

/**
 * Until one call has succeeded, no other is made beside it: a store that connects with its first call refuses the
 * others, or loses them, while it does.
 */
function oneFirst() {
  let hasSucceeded = false;
  let first: Promise<unknown> | undefined;
  return async <T>(act: () => Promise<T>): Promise<T> => {
    if (hasSucceeded) return act();
    if (first) {
      await first.catch(() => {});
      return act();
    }
    const running = act();
    first = running;
    try {
      const result = await running;
      hasSucceeded = true;
      return result;
    } finally {
      first = undefined;
    }
  };
}

function toError(error: unknown, applied: 'no' | 'maybe', threadId: string): AgentStateError {
  if (isAgentStateError(error)) {
    return new AgentStateError('unavailable', error.message, { threadId, applied });
  }
  const isForeign = error instanceof SyntaxError || (error instanceof Error && error.message.startsWith('WRONGTYPE'));
  return isForeign ? foreign(threadId) : unavailable(applied, threadId, summaryOf(error));
}

function unavailable(applied: 'no' | 'maybe', threadId: string, cause?: Error): AgentStateError {
  const details = { threadId, applied, ...(cause && { cause }) };
  return new AgentStateError('unavailable', "Keyv's store did not do it.", details);
}

/**
 * Any store may be behind a Keyv, and messages of some quote values or connection strings: name and code are kept.
 * The whole error is in Keyv's own `error` event.
 */
function summaryOf(error: unknown): Error {
  const { code } = (error ?? {}) as { code?: unknown };
  const name = error instanceof Error ? error.constructor.name : typeof error;
  if (typeof code !== 'string') return new Error(name);
  return Object.assign(new Error(`${name} (${code})`), { code });
}
