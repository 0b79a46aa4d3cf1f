import {
  AgentStateError,
  assertKnown,
  defaultMaxMessageBytes,
  type KnownOptions,
  type Runtime,
  systemRuntime,
} from '@agent-state/core';
import type { MongoClient } from 'mongodb';
import { collectionOf } from './collection.ts';

/** Exactly one of `url`, `client` and `createClient` says where the server is. */
export interface MongoCheckpointerOptions {
  /** `mongodb://…` or `mongodb+srv://…`. Weaker settings in it (`w=1`, `readPreference=secondary`) are overridden. */
  readonly url?: string;
  /** A client of yours: it is never closed and never reconfigured; its timeouts are yours to set. */
  readonly client?: MongoClient;
  /** Makes a client that the checkpointer owns: it is closed with it, and made anew after a missed deadline. */
  readonly createClient?: () => MongoClient | Promise<MongoClient>;
  /** Default `agent_state`. */
  readonly database?: string;
  /** The collection; sealed history lies beside it in `<namespace>.chunks`. Default `agent_checkpoints`. */
  readonly namespace?: string;
  /** The largest single message, in bytes of JSON; default and maximum 16,000,000. */
  readonly maxMessageBytes?: number;
  /**
   * How long to look for a server that takes writes, in milliseconds; default 1,500, and of use from 600 on. For `url`
   * only, as the next two.
   */
  readonly serverSelectionTimeoutMS?: number;
  /** How long to wait for a connection, in milliseconds; default 1,500. */
  readonly connectTimeoutMS?: number;
  /** How long to wait for a reply, in milliseconds; default 2,000. */
  readonly socketTimeoutMS?: number;
  /** How much of the history lies in the thread's document before it is sealed; default 64 messages, 4 MB. */
  readonly tail?: Partial<TailBounds>;
  /** Time, chance and ids; default: the system's. */
  readonly runtime?: Runtime;
}

const known: KnownOptions<MongoCheckpointerOptions> = {
  url: true,
  client: true,
  createClient: true,
  database: true,
  namespace: true,
  maxMessageBytes: true,
  serverSelectionTimeoutMS: true,
  connectTimeoutMS: true,
  socketTimeoutMS: true,
  tail: true,
  runtime: true,
};

export interface TailBounds {
  readonly messages: number;
  readonly bytes: number;
}

export interface Timeouts {
  readonly serverSelectionTimeoutMS: number;
  readonly connectTimeoutMS: number;
  readonly socketTimeoutMS: number;
}

export interface Settings extends Pick<MongoCheckpointerOptions, 'url' | 'client' | 'createClient'> {
  readonly database: string;
  /** The collection's name. */
  readonly namespace: string;
  readonly maxMessageBytes: number;
  readonly timeouts: Timeouts;
  readonly tail: TailBounds;
  readonly runtime: Runtime;
}

/** The options, complete; what cannot be meant is a `configuration` error. */
export function settingsOf(options: MongoCheckpointerOptions): Settings {
  assertKnown(options, known);
  const { url, client, createClient, runtime = systemRuntime } = options;
  assertOneSource(options);
  return {
    ...(url === undefined ? {} : { url: checkedUrl(url) }),
    ...(client === undefined ? {} : { client }),
    ...(createClient === undefined ? {} : { createClient }),
    database: checkedDatabase(options.database ?? 'agent_state'),
    namespace: collectionOf(options.namespace ?? 'agent_checkpoints'),
    maxMessageBytes: atMost('maxMessageBytes', options.maxMessageBytes, defaultMaxMessageBytes, defaultMaxMessageBytes),
    timeouts: {
      serverSelectionTimeoutMS: atMost('serverSelectionTimeoutMS', options.serverSelectionTimeoutMS, 1_500),
      connectTimeoutMS: atMost('connectTimeoutMS', options.connectTimeoutMS, 1_500),
      socketTimeoutMS: atMost('socketTimeoutMS', options.socketTimeoutMS, 2_000),
    },
    tail: {
      messages: atMost('tail.messages', options.tail?.messages, 64, 100_000),
      bytes: atMost('tail.bytes', options.tail?.bytes, 4_000_000, 8_000_000),
    },
    runtime,
  };
}

function assertOneSource({ url, client, createClient }: MongoCheckpointerOptions): void {
  const given = [url, client, createClient].filter((source) => source !== undefined);
  if (given.length !== 1) throw invalid('url', 'is needed, or client, or createClient: exactly one of them');
}

/** The url itself is never shown: it may hold a password. */
function checkedUrl(url: unknown): string {
  if (typeof url === 'string' && /^mongodb(\+srv)?:\/\//.test(url)) return url;
  throw invalid('url', 'has to start with mongodb:// or mongodb+srv://');
}

const refusedInDatabase = /[/\\. "$*<>:|?]/;

function checkedDatabase(database: unknown): string {
  const fits = typeof database === 'string' && database !== '' && Buffer.byteLength(database) <= 63;
  if (fits && !refusedInDatabase.test(database) && !database.includes('\0')) return database;
  throw invalid('database', 'has to be a name that MongoDB takes: 1 to 63 bytes, without any of /\\. "$*<>:|?');
}

function atMost(path: string, value: number | undefined, fallback: number, limit = 2_147_483_647): number {
  const chosen = value ?? fallback;
  if (Number.isSafeInteger(chosen) && chosen >= 1 && chosen <= limit) return chosen;
  throw invalid(path, `has to be a whole number from 1 to ${limit}`);
}

function invalid(path: string, what: string): AgentStateError {
  return new AgentStateError('configuration', `${path} ${what}.`, { path });
}
