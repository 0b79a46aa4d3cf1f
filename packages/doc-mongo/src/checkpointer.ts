import {
  type Checkpointer,
  type CheckpointStore,
  defineCheckpointer,
  matches,
  type StoreQuery,
} from '@agent-state/core';
import { bury } from './bury.ts';
import { connect, type Places } from './connect.ts';
import { asAgentStateError } from './errors.ts';
import { createFactsCache, factsOf } from './facts.ts';
import { find } from './find.ts';
import { load } from './load.ts';
import { type MongoCheckpointerOptions, settingsOf } from './options.ts';
import { asFound, readHead } from './read.ts';
import { save } from './save.ts';
import { readSteps } from './steps.ts';

/**
 * Threads in MongoDB: one document each, in which the specification's fields can be queried and indexed. Nothing is
 * connected before the first call, so a server that is down does not stop an application from starting. Throws
 * `configuration` for options that cannot be meant.
 */
export function createMongoCheckpointer(options: MongoCheckpointerOptions): Checkpointer {
  const settings = settingsOf(options);
  const connection = connect(settings);
  const cache = createFactsCache();

  /** With what is ready to use; what the driver throws becomes an error of the protocol. */
  async function using<T>(kind: 'reads' | 'changes', run: (places: Places) => Promise<T>): Promise<T> {
    const places = await connection.open();
    try {
      return await run(places);
    } catch (error) {
      throw asAgentStateError(error, kind === 'changes');
    }
  }

  const store: CheckpointStore = {
    name: 'mongo',
    capabilities: {
      conditional: true,
      tombstones: true,
      appends: true,
      steps: true,
      list: true,
      query: true,
      durable: true,
      ttlResolutionMs: 1,
      maxStateBytes: Number.POSITIVE_INFINITY,
      maxMessageBytes: settings.maxMessageBytes,
    },
    load: (threadId) => using('reads', (places) => load(places, cache, threadId)),
    peek: (threadId) =>
      using('reads', async (places) => {
        const document = await readHead(places, threadId);
        cache.set(threadId, factsOf(document));
        return asFound(document);
      }),
    // What comes before its one write changes nothing of the thread; that write says itself what became of it.
    save: (threadId, write) => using('reads', (places) => save({ places, cache, settings }, threadId, write)),
    bury: (threadId, burial) => using('changes', (places) => bury(places, threadId, burial)),
    steps: (threadId, range) => using('reads', (places) => readSteps(places, threadId, range)),
    find: (query) => using('reads', (places) => find(places, query, verify)),
    reset: () => connection.reset(),
    close: () => connection.close(),
  };
  const checkpointer = defineCheckpointer(store, settings.runtime);

  async function verify(threadId: string, query: StoreQuery): Promise<boolean> {
    const thread = await checkpointer.load(threadId);
    return thread.found && matches(threadId, thread.state, query);
  }
  return checkpointer;
}
