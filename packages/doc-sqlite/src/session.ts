import { AgentStateError, type Runtime, sleep } from '@agent-state/core';
import { pauseBefore } from './backoff.ts';
import { type Connection, isInTransaction } from './database.ts';
import { isBusy, sqliteCode, toError, unavailable } from './errors.ts';
import { assertLayout } from './layout.ts';
import { setUp } from './set-up.ts';
import type { Source } from './source.ts';
import type { Tables } from './tables.ts';
import { type Failure, type Outcome, transact, withoutWaiting } from './transaction.ts';

export interface SessionOptions {
  /** How long a call goes on trying while another process holds the lock, in milliseconds. */
  readonly busyTimeoutMs: number;
  readonly runtime: Runtime;
}

/** Transactions on one database, one after the other, whatever connection they need. */
export interface Session {
  /** All of `work` in one transaction. It may be called more than once; only the last time counts. */
  run<T>(mode: 'read' | 'write', work: (connection: Connection) => T): Promise<T>;
  reset(): void;
  close(): void;
}

export function createSession(source: Source, tables: Tables, { busyTimeoutMs, runtime }: SessionOptions): Session {
  let ready: Connection | undefined;
  let closed = false;

  const drop = () => {
    ready = undefined;
    source.drop();
  };

  function makeReady(connection: Connection): Outcome<unknown> {
    if (connection === ready) return { done: true, result: undefined };
    const outcome = setUp(connection, tables, source.owned, runtime.now());
    if (outcome.done) ready = connection;
    return outcome;
  }

  function attempt<T>(mode: 'read' | 'write', work: (connection: Connection) => T): Outcome<T> {
    const connection = source.connect();
    if (isInTransaction(connection.database)) return occupied;
    return withoutWaiting(connection, () => {
      const opened = makeReady(connection);
      if (!opened.done) return opened;
      return transact(connection, mode, () => {
        assertLayout(connection, tables);
        return work(connection);
      });
    });
  }

  function tryOnce<T>(mode: 'read' | 'write', work: (connection: Connection) => T): Outcome<T> {
    let outcome: Outcome<T>;
    try {
      outcome = attempt(mode, work);
    } catch (error) {
      outcome = { done: false, error, at: 'work' };
    }
    if (!outcome.done && leavesDoubt(outcome)) drop();
    return outcome;
  }

  return {
    async run(mode, work) {
      const start = runtime.monotonic();
      for (let retry = 0; ; retry += 1) {
        if (closed) throw new AgentStateError('closed', 'The sqlite checkpointer was closed during this call.');
        const outcome = tryOnce(mode, work);
        if (outcome.done) return outcome.result;
        if (outcome !== occupied && !isBusy(outcome.error)) throw toError(outcome.error, appliedOf(outcome));
        const pause = pauseBefore(retry, runtime.random());
        if (runtime.monotonic() + pause - start > busyTimeoutMs) throw locked(busyTimeoutMs, outcome);
        await sleep(runtime, pause);
      }
    },
    reset: drop,
    close() {
      closed = true;
      source.close();
    },
  };
}

/** The owner of a given handle has a transaction open on it: its work and ours must not become one. */
const occupied: Failure & { readonly done: false } = Object.freeze({ done: false, at: 'begin', error: undefined });

function locked(busyTimeoutMs: number, outcome: Failure): AgentStateError {
  const what = outcome === occupied ? 'in a transaction of its owner' : 'locked by somebody else';
  return unavailable(`The database was ${what} for ${busyTimeoutMs} ms.`, outcome.error);
}

/**
 * Whether the connection may be left on an old snapshot, or worse: after any error of a driver but a lock that was
 * taken when the transaction began.
 */
function leavesDoubt({ error, at }: Failure): boolean {
  return sqliteCode(error) !== undefined && !(isBusy(error) && at === 'begin');
}

/** A commit that failed half-way may be on the disk; one that met a lock or a full disk was rolled back. */
function appliedOf({ error, at }: Failure): 'no' | 'maybe' {
  return at === 'commit' && sqliteCode(error) !== 'FULL' ? 'maybe' : 'no';
}
