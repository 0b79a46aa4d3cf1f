import {
  AgentStateError,
  assertKnown,
  assertNamespace,
  defaultMaxMessageBytes,
  type KnownOptions,
} from '@agent-state/core';
import type { Keyv } from 'keyv';

export interface KvCheckpointerOptions {
  /** A Keyv 5 with `throwOnErrors: true`, which its store adapter needs as well where it has that option. It stays yours. */
  readonly keyv: Keyv;
  /** What the keys begin with, behind Keyv's own namespace. Default `agent_checkpoints`. */
  readonly namespace?: string;
  /** The largest thread, in bytes of JSON. Default: no limit but the store's. */
  readonly maxStateBytes?: number;
  /** The largest single message, in bytes of JSON. Default 16,000,000. */
  readonly maxMessageBytes?: number;
  /** How long one call of Keyv may take, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
}

const known: KnownOptions<KvCheckpointerOptions> = {
  keyv: true,
  namespace: true,
  maxStateBytes: true,
  maxMessageBytes: true,
  timeoutMs: true,
};

/** Checked, completed. */
export type Settings = Required<KvCheckpointerOptions>;

export function settingsOf(options: KvCheckpointerOptions): Settings {
  assertKnown(options, known);
  const { keyv, namespace = 'agent_checkpoints', timeoutMs = 5_000 } = options;
  const { maxStateBytes = Number.POSITIVE_INFINITY, maxMessageBytes = defaultMaxMessageBytes } = options;
  assertKeyv(keyv);
  assertOwnAdapter(keyv);
  assertNamespace(namespace);
  assertAboveZero('maxMessageBytes', maxMessageBytes);
  assertAboveZero('timeoutMs', timeoutMs);
  if (maxStateBytes !== Number.POSITIVE_INFINITY) assertAboveZero('maxStateBytes', maxStateBytes);
  return { keyv, namespace, timeoutMs, maxStateBytes, maxMessageBytes };
}

function assertKeyv(keyv: unknown): void {
  const { get, set, has, delete: remove, throwOnErrors, store } = (keyv ?? {}) as Record<string, unknown>;
  if (![get, set, has, remove].every((method) => typeof method === 'function')) {
    throw misconfigured('keyv', 'Expected a Keyv.');
  }
  const why = 'without it a failed write is reported as done, and a failed read as a thread that is not there.';
  if (throwOnErrors !== true) {
    throw misconfigured('keyv', `The Keyv (version 5) has to be made with throwOnErrors: true; ${why}`);
  }
  if ((store as { throwOnErrors?: unknown } | undefined)?.throwOnErrors === false) {
    throw misconfigured('keyv', `The Keyv's store adapter has to be made with throwOnErrors: true as well; ${why}`);
  }
}

/**
 * A store adapter serves one Keyv: another one that is made over it gives it another namespace, and every thread would
 * look as if it were not there. A Map is no adapter, and nothing to it.
 */
export function assertOwnAdapter({ namespace, store }: Pick<Keyv, 'namespace' | 'store'>): void {
  if (store instanceof Map || (store as { namespace?: unknown }).namespace === namespace) return;
  const advice = 'make an adapter for each Keyv, or one Keyv for several checkpointers with a namespace each.';
  throw misconfigured(
    'keyv',
    `The Keyv's store adapter has been given to another Keyv, of another namespace: ${advice}`,
  );
}

function assertAboveZero(path: string, value: unknown): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return;
  throw misconfigured(path, `${path} has to be a whole number above 0.`);
}

function misconfigured(path: string, message: string): AgentStateError {
  return new AgentStateError('configuration', message, { path });
}
