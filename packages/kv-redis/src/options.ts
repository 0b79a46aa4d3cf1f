import {
  AgentStateError,
  assertKnown,
  assertNamespace,
  defaultMaxMessageBytes,
  type KnownOptions,
  type Logger,
} from '@agent-state/core';
import type { RedisClient } from './drivers/recognise.ts';

/** Where the threads are: exactly one of `url`, `client` and `createClient`. */
export interface RedisCheckpointerOptions {
  /**
   * `redis://[user:password@]host[:port][/db]`, or `rediss://` over TLS. The client is made by @keyv/redis, connects
   * with the first call, and is closed with the checkpointer.
   */
  readonly url?: string;
  /** With a `rediss://` url: a private authority (`ca`), a client certificate (`cert`, `key`), `servername` … */
  readonly tls?: TlsOptions;
  /**
   * A client of node-redis (`createClient`, `createCluster`) or ioredis (`Redis`, `Cluster`) that is yours: connected if
   * it is not yet, never reconfigured, never closed.
   */
  readonly client?: RedisClient;
  /** Makes such a client. It is the checkpointer's: closed with it, and made anew after a missed deadline. */
  readonly createClient?: () => RedisClient;
  /** What the keys begin with. Default `agent_checkpoints`. */
  readonly namespace?: string;
  /** The largest single message, in bytes of JSON. Default 16,000,000. */
  readonly maxMessageBytes?: number;
  /** How long a call waits for a connection, in milliseconds. Default 2,000. */
  readonly connectTimeoutMs?: number;
  /** How long a call waits for the answer to its command, in milliseconds. Default 2,000. */
  readonly commandTimeoutMs?: number;
  /** Told once where the server may lose threads: eviction of any key (on the console without one), or no persistence. */
  readonly logger?: Logger;
}

/** As `node:tls` has them; written out, so that the published types do not need Node's. */
export interface TlsOptions {
  readonly ca?: Pem | readonly Pem[] | undefined;
  readonly cert?: Pem | readonly Pem[] | undefined;
  readonly key?: Pem | readonly Pem[] | undefined;
  readonly passphrase?: string | undefined;
  readonly servername?: string | undefined;
  readonly rejectUnauthorized?: boolean | undefined;
}

type Pem = string | Uint8Array;

const known: KnownOptions<RedisCheckpointerOptions> = {
  url: true,
  tls: true,
  client: true,
  createClient: true,
  namespace: true,
  maxMessageBytes: true,
  connectTimeoutMs: true,
  commandTimeoutMs: true,
  logger: true,
};

/** Checked, completed. */
export interface Settings {
  readonly namespace: string;
  readonly maxMessageBytes: number;
  readonly connectTimeoutMs: number;
  readonly commandTimeoutMs: number;
}

export function settingsOf(options: RedisCheckpointerOptions): Settings {
  assertKnown(options, known);
  const { namespace = 'agent_checkpoints', maxMessageBytes = defaultMaxMessageBytes } = options;
  const { connectTimeoutMs = 2_000, commandTimeoutMs = 2_000 } = options;
  assertNamespace(namespace);
  assertAboveZero('maxMessageBytes', maxMessageBytes);
  assertAboveZero('connectTimeoutMs', connectTimeoutMs);
  assertAboveZero('commandTimeoutMs', commandTimeoutMs);
  return { namespace, maxMessageBytes, connectTimeoutMs, commandTimeoutMs };
}

function assertAboveZero(path: string, value: unknown): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return;
  throw misconfigured(path, `${path} has to be a whole number above 0.`);
}

/** A URL that can be used, or an error that does not show it. */
export function assertUrl(url: unknown): asserts url is string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !['redis:', 'rediss:'].includes(parsed.protocol) || parsed.hostname === '') {
    throw misconfigured('url', 'The url has to be redis://… or rediss://…, with a host.');
  }
  if (!/^\/?\d*$/.test(parsed.pathname)) {
    throw misconfigured('url', 'The path of the url has to be the number of a database.');
  }
  if (![parsed.username, parsed.password].every(isPercentEncoded)) {
    throw misconfigured('url', 'User and password have to be percent-encoded in the url.');
  }
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

export function misconfigured(path: string, message: string): AgentStateError {
  return new AgentStateError('configuration', message, { path });
}
