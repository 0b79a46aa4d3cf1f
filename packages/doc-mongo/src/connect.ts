import { AgentStateError, type Runtime } from '@agent-state/core';
import {
  type Collection,
  type Db,
  type DbOptions,
  MongoClient,
  type MongoClientOptions,
  ReadConcern,
  WriteConcern,
} from 'mongodb';
import { createServerClock, type ServerClock } from './clock.ts';
import { asAgentStateError } from './errors.ts';
import { ensureIndexes } from './indexes.ts';
import type { ChunkDocument, ThreadDocument } from './layout.ts';
import type { Settings } from './options.ts';

/** What the operations work on. */
export interface Places {
  readonly threads: Collection<ThreadDocument>;
  readonly chunks: Collection<ChunkDocument>;
  readonly clock: ServerClock;
}

export interface Connection {
  /** Ready to use: connected, understood, indexed. Everybody who asks meanwhile waits for the same attempt. */
  open(): Promise<Places>;
  reset(): void;
  close(): Promise<void>;
}

/** MongoDB 5.0: from there on keys may hold `.` and begin with `$`. */
const oldestWireVersion = 13;

/** How long a close waits for a server that may not answer. */
const closeMs = 1_000;

/**
 * Whatever a client or a url says, this is how it is read and written: acknowledged by a majority, from the primary,
 * with values that are what JSON makes of them. A read after a refused write has to see what refused it: `local`.
 */
const certain = {
  writeConcern: new WriteConcern('majority', undefined, true),
  readPreference: 'primary',
  readConcern: new ReadConcern('local'),
  promoteValues: true,
  promoteLongs: true,
  promoteBuffers: false,
  useBigInt64: false,
  ignoreUndefined: false,
  serializeFunctions: false,
  bsonRegExp: false,
  raw: false,
  // Without a prototype: the driver looks up every key in it, `constructor` as well.
  fieldsAsRaw: Object.create(null),
} satisfies DbOptions;

export function connect(settings: Settings): Connection {
  const source = sourceOf(settings);
  let opening: Promise<Places> | undefined;
  let closed = false;
  return {
    async open() {
      // A call that was under way must not connect anew.
      if (closed) throw new AgentStateError('closed', 'The mongo checkpointer is closed.');
      opening ??= openPlaces(() => source.client(), settings);
      const attempt = opening;
      attempt.catch(() => {
        if (opening === attempt) opening = undefined;
      });
      return attempt;
    },
    reset() {
      if (source.discard()) opening = undefined;
    },
    close() {
      closed = true;
      return source.close();
    },
  };
}

async function openPlaces(client: () => Promise<MongoClient>, settings: Settings): Promise<Places> {
  try {
    const connected = await client();
    // Said, not left to the first call: a client whose first attempt failed does not make another by itself.
    await connected.connect();
    const db = connected.db(settings.database, certain);
    const clock = await createServerClock(() => greet(db), settings.runtime);
    const threads = db.collection<ThreadDocument>(settings.namespace, certain);
    const chunks = db.collection<ChunkDocument>(`${settings.namespace}.chunks`, certain);
    await ensureIndexes(threads, chunks);
    return { threads, chunks, clock };
  } catch (error) {
    throw asAgentStateError(error, false);
  }
}

/** The server's time. */
async function greet(db: Db): Promise<Date> {
  const { localTime, maxWireVersion } = await db.command({ hello: 1 }, { readPreference: 'primary' });
  if (maxWireVersion < oldestWireVersion) {
    throw new AgentStateError('configuration', 'MongoDB 5.0 or later is needed.');
  }
  return localTime;
}

interface Source {
  client(): Promise<MongoClient>;
  /** Whether there was one to discard: a client that was given stays. */
  discard(): boolean;
  close(): Promise<void>;
}

function sourceOf(settings: Settings): Source {
  const { client } = settings;
  if (client) return { client: async () => client, discard: () => false, close: async () => {} };
  return ownSource(settings);
}

/** Clients of our own: made when needed, thrown away when they missed a deadline. */
function ownSource({ url, createClient, timeouts, runtime }: Settings): Source {
  const make = createClient ?? (() => clientFor(url as string, timeouts));
  // With a url the first one is made at once, without I/O: a url that cannot be read is said at the start.
  let current: Promise<MongoClient> | undefined = url === undefined ? undefined : Promise.resolve(make());
  const discard = () => {
    const old = current;
    current = undefined;
    return old?.then((client) => client.close(true)).catch(() => {});
  };
  return {
    client() {
      current ??= Promise.resolve().then(make);
      const made = current;
      made.catch(() => {
        if (current === made) current = undefined;
      });
      return made;
    },
    discard() {
      void discard();
      return true;
    },
    close: () => atMost(runtime, closeMs, discard()),
  };
}

/** Resolves with `done`, or after `ms`. */
function atMost(runtime: Runtime, ms: number, done: Promise<void> | undefined): Promise<void> {
  return new Promise((resolve) => {
    const cancel = runtime.after(ms, resolve);
    void Promise.resolve(done).finally(() => {
      cancel();
      resolve();
    });
  });
}

/**
 * No hidden retries: what became of a call that went wrong is found out by reading back, once for all stores, and a
 * second attempt would double the time that a frozen server takes. And a server that is thought lost is asked again at
 * once (`poll`), where a monitor that waits to be told would leave it lost for ten seconds.
 */
const promptly = {
  retryWrites: false,
  retryReads: false,
  readPreference: 'primary',
  serverMonitoringMode: 'poll',
} satisfies MongoClientOptions;

function clientFor(url: string, timeouts: Settings['timeouts']): MongoClient {
  try {
    return new MongoClient(url, { ...timeouts, ...promptly });
  } catch {
    // The parser's errors quote the url, which may hold a password.
    throw new AgentStateError('configuration', 'url is not one that MongoDB takes.', { path: 'url' });
  }
}
