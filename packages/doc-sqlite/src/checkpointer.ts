import {
  assertKnown,
  assertNamespace,
  type Capabilities,
  type Checkpointer,
  defaultMaxMessageBytes,
  defineCheckpointer,
  systemRuntime,
} from '@agent-state/core';
import { assertPositive, knownOptions, type SqliteCheckpointerOptions, sourceOf } from './options.ts';
import { createSession } from './session.ts';
import { createSqliteStore } from './store.ts';
import { tablesOf } from './tables.ts';

/**
 * A checkpointer in a SQLite file: durable, conditional, without a server. The file is opened by the first call.
 * Throws `configuration` where the options do not fit or the file's folder does not exist.
 */
export function createSqliteCheckpointer(options: SqliteCheckpointerOptions): Checkpointer {
  assertKnown(options, knownOptions);
  const { namespace = 'agent_checkpoints', busyTimeoutMs = 2_000, runtime = systemRuntime } = options;
  const { maxMessageBytes = defaultMaxMessageBytes } = options;
  assertNamespace(namespace);
  assertPositive('busyTimeoutMs', busyTimeoutMs);
  assertPositive('maxMessageBytes', maxMessageBytes);
  const source = sourceOf(options);
  const tables = tablesOf(namespace);
  const session = createSession(source, tables, { busyTimeoutMs, runtime });
  const offered = capabilities(source.durable, maxMessageBytes);
  return defineCheckpointer(
    createSqliteStore(session, tables, offered, () => runtime.now()),
    runtime,
  );
}

function capabilities(durable: boolean, maxMessageBytes: number): Capabilities {
  return {
    conditional: true,
    tombstones: true,
    appends: true,
    steps: true,
    list: true,
    query: true,
    durable,
    ttlResolutionMs: 1,
    maxStateBytes: Number.POSITIVE_INFINITY,
    maxMessageBytes,
  };
}
