import { type Checkpointer, isAgentStateError } from '@agent-state/core';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { namespace } from '../memory-target.ts';
import { type BrokenAdapter, broken, brokenTarget, type Working } from './broken.ts';

/** Deletes, and everything else that `also` says. */
const deleting =
  (also: (threadId: string, working: Working) => Promise<unknown>) =>
  (working: Working): Partial<Checkpointer> => ({
    async delete(threadId) {
      await working.store.delete(threadId);
      await also(threadId, working);
    },
  });

const deletingAll = (match: (id: string, threadId: string) => boolean) =>
  deleting(async (threadId, { store, data }) => {
    for (const [id] of data.namespace(namespace).threads.entries(0)) if (match(id, threadId)) await store.delete(id);
  });

const asPattern = (threadId: string) => {
  const pattern = threadId
    .replace(/[.^$()[\]{}|\\+]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${pattern}$`);
};

/** Ids under which threads become one. */
const keyed = (name: string, key: (threadId: string) => string) =>
  broken(name, 'ids/hostile', ({ store }) => ({
    load: (threadId) => store.load(key(threadId)),
    peek: (threadId) => store.peek(key(threadId)),
    save: (threadId, write) => store.save(key(threadId), write),
    delete: (threadId) => store.delete(key(threadId)),
    steps: (threadId, options) => store.steps(key(threadId), options),
  }));

/** Checkpointers that delete too little, too much, or bring things back; and those that mix threads up. */
export const brokenDeletes: readonly BrokenAdapter[] = [
  broken('does not delete', 'deletes/absent', () => ({ delete: async () => {} })),
  broken(
    'deletes what begins alike',
    'deletes/only-the-thread',
    deletingAll((id, threadId) => id.startsWith(threadId)),
  ),
  broken(
    'deletes by pattern',
    'deletes/only-the-thread',
    deletingAll((id, threadId) => asPattern(threadId).test(id)),
  ),
  broken('brings a thread back that was deleted', 'tombstones/save-from-before', resurrecting),
  broken('lets an old life write over a new one', 'tombstones/old-life-over-new', resurrecting),
  broken('lets a create through that began before the delete', 'tombstones/create-from-before', resurrecting),
  broken(
    'forgets tombstones',
    'tombstones/create-from-before',
    deleting(async (threadId, { data }) => data.namespace(namespace).tombstones.delete(threadId)),
  ),
  broken('leaves the tombstone that is there', 'tombstones/renewed', ({ store }) => ({
    async delete(threadId) {
      const found = await store.peek(threadId);
      if (found.found || found.tombstone === null) await store.delete(threadId);
    },
  })),
  broken('leaves no tombstone over nothing', 'tombstones/renewed', ({ store }) => ({
    async delete(threadId) {
      if ((await store.peek(threadId)).found) await store.delete(threadId);
    },
  })),
  broken('keeps a copy of what was deleted', 'deletes/every-byte', ({ store, data }) => ({
    async delete(threadId) {
      const found = await store.load(threadId);
      await store.delete(threadId);
      const { tombstones } = data.namespace(namespace);
      tombstones.set(`backup of ${threadId}`, JSON.stringify(found), null, 0);
    },
  })),
  broken('remembers the profile in the tombstone', 'tombstones/bare', ({ store, data }) => ({
    async delete(threadId) {
      const found = await store.peek(threadId);
      await store.delete(threadId);
      const profile = found.found ? found.head.agent_profile : '';
      data.namespace(namespace).tombstones.set(threadId, `grave of ${profile}`, null, 0);
    },
  })),
  broken('shows the steps of a deleted thread', 'deletes/absent', rememberingSteps),
  brokenTarget('ignores the namespace', 'isolation/namespaces', (data) =>
    createMemoryCheckpointer({ data, namespace }),
  ),
  brokenTarget('empties every namespace with the last thread of one', 'isolation/namespaces', (data, ns) => {
    const store = createMemoryCheckpointer({ data, namespace: ns });
    const others = ['one', 'two'].map((name) => createMemoryCheckpointer({ data, namespace: name }));
    return Object.freeze({
      ...store,
      async delete(threadId: string) {
        await store.delete(threadId);
        if ((await store.list()).threads.length > 0) return;
        for (const other of others) for (const left of (await other.list()).threads) await other.delete(left.threadId);
      },
    });
  }),
  brokenTarget('ignores the case of the namespace', 'isolation/hostile-namespaces', (data, ns) =>
    createMemoryCheckpointer({ data, namespace: ns.toLowerCase() }),
  ),
  brokenTarget('joins namespace and id by a separator', 'isolation/shifted-separators', (data, ns) => {
    const store = createMemoryCheckpointer({ data, namespace });
    const key = (threadId: string) => `${ns}::${threadId}`;
    return {
      ...store,
      load: (id) => store.load(key(id)),
      peek: (id) => store.peek(key(id)),
      save: (id, write) => store.save(key(id), write),
    };
  }),
  keyed('ignores the case of ids', (threadId) => threadId.toLowerCase()),
  keyed('composes ids', (threadId) => threadId.normalize('NFC')),
  keyed('trims ids', (threadId) => threadId.trim() || '-'),
  keyed('shortens ids', (threadId) => threadId.slice(0, 255)),
  keyed('decodes ids', (threadId) => threadId.replace(/%2A/i, '*')),
  keyed('resolves ids as paths', (threadId) => threadId.replace('//', '/')),
  broken('takes the text of an object for an id', 'ids/invalid', ({ store }) => ({
    load: (threadId) => store.load(String(threadId)),
  })),
];

function resurrecting({ store }: Working): Partial<Checkpointer> {
  return {
    save: (threadId, write) =>
      store.save(threadId, write).catch((error: unknown) => {
        if (!isAgentStateError(error, 'deleted')) throw error;
        const { base: _base, ...rest } = write;
        return store.save(threadId, { ...rest, appendedFrom: 0 });
      }),
  };
}

export function rememberingSteps({ store }: Working): Partial<Checkpointer> {
  const kept = new Map<string, Awaited<ReturnType<Checkpointer['steps']>>>();
  return {
    async save(threadId, write) {
      const position = await store.save(threadId, write);
      kept.set(threadId, await store.steps(threadId));
      return position;
    },
    steps: async (threadId) => kept.get(threadId) ?? [],
  };
}
