import type { Checkpointer, ThreadPage, ThreadQuery, ThreadSummary } from '@agent-state/core';
import type { Working } from './broken.ts';

/** Gives other pages than the store. */
export const paging =
  (change: (threads: readonly ThreadSummary[]) => readonly ThreadSummary[]) =>
  ({ store }: Working): Partial<Checkpointer> => {
    const changed = (page: ThreadPage) => ({ ...page, threads: change(page.threads) });
    return {
      list: async (options) => changed(await store.list(options)),
      query: async (query) => changed(await store.query(query)),
    };
  };

/** Asks the store another question. */
export const asking =
  (change: (query: ThreadQuery) => ThreadQuery) =>
  ({ store }: Working): Partial<Checkpointer> => ({
    list: (options = {}) => store.list(change(options)),
    query: (query) => store.query(change(query)),
  });

/** Asks without this condition. */
export const without = (key: keyof ThreadQuery) => asking(({ [key]: _gone, ...query }) => query);

/** As a store sorts that compares ids as JavaScript does. */
export const byUtf16 = (a: ThreadSummary, b: ThreadSummary) =>
  Date.parse(b.updatedAt) - Date.parse(a.updatedAt) || (a.threadId < b.threadId ? -1 : 1);
