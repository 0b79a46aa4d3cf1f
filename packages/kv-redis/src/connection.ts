import { AgentStateError, type Logger, systemRuntime, withDeadline } from '@agent-state/core';
import { replyWord } from './driver-errors.ts';
import type { RedisDriver } from './drivers/driver.ts';
import { type Phase, toError } from './errors.ts';
import { inspect } from './inspect.ts';
import type { ThreadKeys } from './keys.ts';
import { answerTo, OutOfStep } from './replies.ts';
import type { Script } from './scripts.ts';

/** Runs scripts on a client, each within its deadline. */
export interface RedisConnection {
  /** The script's reply, or an error of the protocol. */
  run(script: Script, threadId: string, keys: ThreadKeys, args: readonly string[]): Promise<unknown>;
  /** Discards a client that is ours; the next call makes another. A given one is left alone. */
  reset(): void;
  /** Waits for the calls under way, within their deadline, and lets go of the client. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  /** Makes the driver, or hands out the given client's. */
  readonly open: () => RedisDriver;
  /** Whether the client is ours to destroy and remake. */
  readonly owned: boolean;
  readonly connectTimeoutMs: number;
  readonly commandTimeoutMs: number;
  readonly logger?: Logger | undefined;
}

export function createConnection(options: ConnectionOptions): RedisConnection {
  const { owned, connectTimeoutMs, commandTimeoutMs, logger } = options;
  const underWay = new Set<Promise<unknown>>();
  let closed = false;
  let current: RedisDriver | undefined;
  let heardAt = Number.NEGATIVE_INFINITY;
  let inspected: Promise<AgentStateError | undefined> | undefined;

  const driver = (): RedisDriver => {
    if (owned && current?.ended()) discard(current);
    current ??= options.open();
    return current;
  };
  const discard = (late: RedisDriver | undefined): void => {
    if (!owned || !late || late !== current) return;
    current = undefined;
    late.destroy();
  };
  /**
   * What `call` gives within `ms`. A client of ours that gives nothing by then, to nobody, is not used again: one that
   * is merely slow is of use to all other calls.
   */
  const answered = async <T>(on: RedisDriver, ms: number, call: () => Promise<T>): Promise<T> => {
    const startedAt = systemRuntime.monotonic();
    let hasAnswered = false;
    const answer = async () => {
      try {
        return await call();
      } finally {
        hasAnswered = true;
      }
    };
    try {
      return await withDeadline(systemRuntime, ms, 'Redis', answer);
    } finally {
      if (!hasAnswered && startedAt >= heardAt) discard(on);
    }
  };
  const connect = async (on: RedisDriver): Promise<void> => {
    await on.ready();
    inspected ??= inspect(on, logger);
    const fault = await inspected;
    if (fault) throw fault;
  };

  const hear = (on: RedisDriver): void => {
    if (on === current) heardAt = systemRuntime.monotonic();
  };
  const ask = async (on: RedisDriver, ...call: [Script, ThreadKeys, readonly string[]]): Promise<unknown> => {
    try {
      const answer = await evaluate(on, ...call);
      hear(on);
      return answer;
    } catch (error) {
      if (error instanceof OutOfStep) discard(on);
      // Anything else is what the client says, and no sign of the server.
      if (replyWord(error) !== '') hear(on);
      throw error;
    }
  };

  async function run(script: Script, threadId: string, keys: ThreadKeys, args: readonly string[]): Promise<unknown> {
    // The second half of a call that began before: a connection made now would be nobody's to close.
    if (closed)
      throw new AgentStateError('closed', 'The redis checkpointer was closed during this call.', { threadId });
    let phase: Phase = 'connecting';
    try {
      const on = driver();
      await answered(on, connectTimeoutMs, () => connect(on));
      phase = 'sent';
      return await answered(on, commandTimeoutMs, () => ask(on, script, keys, args));
    } catch (error) {
      throw toError(error, phase, threadId);
    }
  }

  return {
    run(...call) {
      const running = run(...call);
      const settled = running.catch(() => {}).finally(() => underWay.delete(settled));
      underWay.add(settled);
      return running;
    },
    reset: () => discard(current),
    async close() {
      while (underWay.size > 0) await Promise.all(underWay);
      closed = true;
      if (owned) discard(current);
      else current?.release();
      current = undefined;
    },
  };
}

/** The script by its name; in full where the server does not know it (yet, or any more). */
async function evaluate(on: RedisDriver, script: Script, keys: ThreadKeys, args: readonly string[]): Promise<unknown> {
  const { thread, tombstone } = keys;
  const name = systemRuntime.id();
  const send = (...by: [string, string]) => on.send(thread, [...by, '2', thread, tombstone, name, ...args]);
  try {
    return answerTo(name, await send('evalsha', script.sha));
  } catch (error) {
    if (replyWord(error) !== 'NOSCRIPT') throw error;
    return answerTo(name, await send('eval', script.source));
  }
}
