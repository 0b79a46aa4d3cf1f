import { AgentStateError } from '@agent-state/core';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { namespace } from '../memory-target.ts';
import { type BrokenAdapter, broken, brokenTarget } from './broken.ts';
import { forcing } from './conditions.ts';
import { rememberingSteps } from './deletes.ts';

/** Checkpointers that do not hold a time to live, a limit, their capabilities, or their end. */
export const brokenTime: readonly BrokenAdapter[] = [
  brokenTarget('ignores the time to live', 'expiry/whole', (data, ns) =>
    createMemoryCheckpointer({ data, namespace: ns, now: () => 0 }),
  ),
  broken('keeps the steps of an expired thread', 'expiry/whole', rememberingSteps),
  broken('brings an expired thread back', 'expiry/save-on-expired', forcing('conflict')),
  broken('does not renew the time to live', 'expiry/renewed', ({ store, data }) => {
    const ends = new Map<string, number>();
    return {
      async save(threadId, write) {
        const now = performance.now();
        if ((ends.get(threadId) ?? now) < now) data.namespace(namespace).threads.delete(threadId);
        if (write.ttl?.ttlMs && !ends.has(threadId)) ends.set(threadId, now + write.ttl.ttlMs);
        return store.save(threadId, write);
      },
    };
  }),
  broken('drops the time to live with the next save', 'expiry/kept', ({ store }) => ({
    save: (threadId, write) => store.save(threadId, { ttl: { ttlMs: null, pausedTtlMs: null }, ...write }),
  })),
  broken('does not clear a time to live', 'expiry/none', ({ store }) => ({
    save: (threadId, { ttl, ...write }) =>
      store.save(threadId, { ...write, ...(ttl?.ttlMs === null ? {} : { ttl: ttl as never }) }),
  })),
  broken('expires a paused thread like any other', 'expiry/paused', ({ store }) => ({
    save: (threadId, { ttl, ...write }) =>
      store.save(threadId, { ...write, ...(ttl ? { ttl: { ttlMs: ttl.ttlMs, pausedTtlMs: ttl.ttlMs } } : {}) }),
  })),
  broken('holds a time to live in a timer of 32 bits', 'expiry/long', ({ store }) => ({
    async save(threadId, write) {
      const position = await store.save(threadId, write);
      if ((write.ttl?.ttlMs ?? 0) > 2 ** 31) await store.delete(threadId);
      return position;
    },
  })),
  broken('accepts odd times to live', 'expiry/odd-limits', ({ store }) => ({
    save: (threadId, { ttl: _ttl, ...write }) => store.save(threadId, write),
  })),
  broken('takes the earlier time for the earlier save', 'contract/updated-at', ({ store }) => ({
    async save(threadId, write) {
      const found = await store.load(threadId);
      const isEarlier = found.found && (write.state.updated_at ?? '') < found.updatedAt;
      return isEarlier ? found : store.save(threadId, write);
    },
  })),
  broken('stores what is too large', 'sizes/message-too-large', ({ data }) => {
    const large = createMemoryCheckpointer({ data, namespace, maxMessageBytes: 2 ** 40 });
    return { save: (threadId, write) => large.save(threadId, write) };
  }),
  broken('refuses what fits', 'sizes/largest-message', ({ data }) => {
    const small = createMemoryCheckpointer({ data, namespace, maxMessageBytes: 1_000_000 });
    return { save: (threadId, write) => small.save(threadId, write) };
  }),
  ...(['steps', 'list', 'query'] as const).map((capability) =>
    broken(`gives ${capability} without offering it`, `lifecycle/${capability}-unsupported`, ({ store }) => ({
      capabilities: Object.freeze({ ...store.capabilities, [capability]: false }),
    })),
  ),
  broken('gives capabilities that can be changed', 'lifecycle/capabilities', ({ store }) => ({
    capabilities: { ...store.capabilities },
  })),
  broken('goes on after close', 'lifecycle/closed', () => ({ close: async () => {} })),
  broken('cannot be closed twice', 'lifecycle/closed', ({ store }) => {
    let closed = false;
    return {
      async close() {
        if (closed) throw new AgentStateError('closed', 'Closed already.');
        closed = true;
        await store.close();
      },
    };
  }),
  broken('takes its threads with it', 'lifecycle/others-stay-open', ({ store, data }) => ({
    async close() {
      for (const [threadId] of data.namespace(namespace).threads.entries(0)) await store.delete(threadId);
      await store.close();
    },
  })),
  broken('ends with a reset', 'lifecycle/reset', ({ store }) => ({ reset: () => void store.close() })),
];
