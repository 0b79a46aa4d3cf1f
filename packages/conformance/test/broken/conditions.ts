import { type Checkpointer, isAgentStateError, type Position } from '@agent-state/core';
import { type BrokenAdapter, broken, type Working } from './broken.ts';

/** Saves without looking at what is there when it is refused with one of these. */
export const forcing =
  (...codes: string[]) =>
  ({ store }: Working): Partial<Checkpointer> => ({
    async save(threadId, write) {
      try {
        return await store.save(threadId, write);
      } catch (error) {
        if (!isAgentStateError(error) || !codes.includes(error.code)) throw error;
        const { base: _base, ...rest } = write;
        return store.save(threadId, { ...rest, appendedFrom: 0 });
      }
    },
  });

/** Changes the position that saves and loads give. */
const placing =
  (change: <T extends Position>(position: T) => T) =>
  ({ store }: Working): Partial<Checkpointer> => ({
    save: async (threadId, write) => change(await store.save(threadId, write)),
    async load(threadId) {
      const found = await store.load(threadId);
      return found.found ? change(found) : found;
    },
  });

/** Checkpointers that do not keep writers apart, or do not say where a record stands. */
export const brokenConditions: readonly BrokenAdapter[] = [
  broken('has no condition: the last save wins', 'contract/conflict', forcing('conflict')),
  broken('compares first and writes later', 'concurrency/two-writers', checkThenAct),
  broken('compares first and creates later', 'concurrency/creators', checkThenAct),
  broken('loses appends of two writers', 'concurrency/nothing-lost', checkThenAct),
  broken('reports no conflict and saves nothing', 'contract/conflict', ({ store }) => ({
    async save(threadId, write) {
      try {
        return await store.save(threadId, write);
      } catch (error) {
        const found = await store.load(threadId);
        if (isAgentStateError(error, 'conflict') && found.found) return found;
        throw error;
      }
    },
  })),
  broken('writes over a history of another length', 'positions/wrong-length', forcing('corrupt')),
  broken('creates over what is there', 'positions/create-over-record', forcing('conflict')),
  broken(
    'counts no revisions',
    'positions/next',
    placing((position) => ({ ...position, revision: 1 })),
  ),
  broken(
    'counts no generations',
    'positions/replace',
    placing((position) => ({ ...position, generation: 0 })),
  ),
  broken(
    'forgets what lies ahead',
    'results-ahead/in-place',
    placing((position) => ({ ...position, ahead: [] })),
  ),
  broken('makes etags of its own', 'positions/first', ({ store }) => ({
    save: (threadId, { writeId: _writeId, ...write }) => store.save(threadId, write),
  })),
  broken("leaves the caller's etag out of the conflict", 'contract/conflict', ({ store }) => ({
    save: (threadId, write) =>
      store.save(threadId, write).catch((error: unknown) => {
        throw isAgentStateError(error, 'conflict') ? Object.assign(error, { current: null }) : error;
      }),
  })),
  broken('loads parts of two writes', 'concurrency/whole', ({ store }) => ({
    async load(threadId) {
      const first = await store.load(threadId);
      await new Promise(setImmediate);
      const second = await store.load(threadId);
      if (!first.found || !second.found) return second;
      const state = Object.freeze({ ...second.state, variables: first.state.variables });
      return { ...second, state };
    },
  })),
  broken('peeks at what it remembers', 'positions/peek', ({ store }) => {
    const seen = new Map<string, Awaited<ReturnType<Checkpointer['peek']>>>();
    return {
      async peek(threadId) {
        const found = seen.get(threadId) ?? (await store.peek('never saved'));
        seen.set(threadId, found);
        return found;
      },
    };
  }),
];

function checkThenAct({ store }: Working): Partial<Checkpointer> {
  return {
    async save(threadId, write) {
      const { base } = write;
      const there = await store.peek(threadId);
      const expected = base && 'etag' in base ? base.etag : null;
      const same = base === undefined || (there.found ? there.etag : null) === expected;
      if (!same) return store.save(threadId, write);
      await new Promise(setImmediate);
      const { base: _base, ...rest } = write;
      return store.save(threadId, { ...rest, appendedFrom: 0 });
    },
  };
}
