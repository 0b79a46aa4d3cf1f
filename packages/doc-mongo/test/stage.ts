import type { Checkpointer, Message } from '@agent-state/core';
import type { MongoServer } from '@agent-state/services';
import type { Document, MongoClient } from 'mongodb';
import { createMongoCheckpointer } from '../src/checkpointer.ts';
import type { ChunkRef } from '../src/layout.ts';
import type { MongoCheckpointerOptions } from '../src/options.ts';
import { collectionsOf, freshDatabase, rawClient, type Stored } from './support.ts';

/** How much of a history these tests leave in the thread's document. */
export const shortTail = { messages: 4, bytes: 100_000 };

/** A database on a server of the test's own, and handles on it. */
export interface Stage extends Stored {
  readonly database: string;
  /** Looks at what is really stored. */
  readonly client: MongoClient;
  /** A checkpointer with a client of its own, which the server knows by `appName`. */
  readonly open: (appName?: string, options?: Partial<MongoCheckpointerOptions>) => Checkpointer;
  /** The history as a handle loads it; undefined where there is no thread. */
  readonly historyOf: (threadId: string, reader?: Checkpointer) => Promise<readonly Message[] | undefined>;
  readonly chunksOf: (threadId: string) => Promise<Document[]>;
  /** The names of its chunks that the thread's document does not name. */
  readonly strayChunksOf: (threadId: string) => Promise<string[]>;
  readonly close: () => Promise<void>;
}

export function createStage({ url }: Pick<MongoServer, 'url'>): Stage {
  const database = freshDatabase();
  const client = rawClient(url);
  const { threads, chunks } = collectionsOf(client, database);
  const opened: Checkpointer[] = [];
  const open: Stage['open'] = (appName = 'a', options = {}) => {
    const store = createMongoCheckpointer({ url: `${url}&appName=${appName}`, database, tail: shortTail, ...options });
    opened.push(store);
    return store;
  };
  const reading = open('reader');
  const chunksOf = (threadId: string) => chunks.find({ thread: threadId }).sort({ _id: 1 }).toArray();
  return {
    database,
    client,
    threads,
    chunks,
    open,
    chunksOf,
    async historyOf(threadId, reader = reading) {
      const loaded = await reader.load(threadId);
      return loaded.found ? loaded.state.history : undefined;
    },
    async strayChunksOf(threadId) {
      const document = await threads.findOne({ _id: threadId });
      const named = [...(document?.chunks ?? []), ...(document?.step_chunks ?? [])].map(({ id }: ChunkRef) => id);
      return (await chunksOf(threadId)).map(({ name }) => name).filter((name) => !named.includes(name));
    },
    async close() {
      await Promise.all(opened.map((store) => store.close()));
      await client.close();
    },
  };
}
