import type { Checkpointer, ThreadQuery, ThreadSummary } from '@agent-state/core';
import { noon } from '../../src/fixtures.ts';
import { asking, byUtf16, paging, without } from './asking.ts';
import { type BrokenAdapter, broken, type Working } from './broken.ts';

/** Checkpointers that do not know what is paused, or until when. */
export const brokenPauses: readonly BrokenAdapter[] = [
  broken(
    'shows no time of a pause',
    'listing/wake-time',
    paging((threads) => threads.map(({ wakeAt: _wakeAt, ...thread }) => thread)),
  ),
  broken(
    'shows the time of a pause that is over',
    'listing/wake-time',
    paging((threads) => threads.map((thread) => ({ wakeAt: noon, ...thread }))),
  ),
  broken('ignores the phase', 'queries/phase', without('phase')),
  broken('knows no phase where no agent has run', 'queries/phase', ({ store }) => ({
    async query(query) {
      const page = await store.query(query);
      const heads = await Promise.all(page.threads.map(({ threadId }) => store.peek(threadId)));
      const hasRun = (index: number) => heads[index]?.found && heads[index].head.run !== undefined;
      return { ...page, threads: page.threads.filter((_, index) => query.phase === undefined || hasRun(index)) };
    },
  })),
  broken('ignores when a thread is due', 'queries/due', without('dueAt')),
  broken('leaves out what is due at the very instant', 'queries/due', asking(movingDueAt(-1))),
  broken('takes in what is due a millisecond later', 'queries/due', asking(movingDueAt(1))),
  broken('takes every paused thread for due', 'queries/due', asking(onlyPaused)),
  broken('remembers what was due', 'queries/due-now', rememberingDue),
  broken('counts what is left of a pause', 'queries/due-now', leftOvers),
  broken('finds a paused thread that has expired', 'queries/due-expired', rememberingDue),
  broken(
    'takes when a thread is due for all that is asked',
    'queries/due-and-more',
    asking(({ dueAt, ...query }) => (dueAt === undefined ? query : { dueAt })),
  ),
  broken('gives what is due by when it is due', 'queries/due-pages', ({ store }) => ({
    async query(query) {
      const page = await store.query(query);
      return { ...page, threads: page.threads.toSorted((a, b) => ((a.wakeAt ?? '') < (b.wakeAt ?? '') ? -1 : 1)) };
    },
  })),
];

function movingDueAt(ms: number): (query: ThreadQuery) => ThreadQuery {
  return ({ dueAt, ...query }) =>
    dueAt === undefined ? query : { ...query, dueAt: new Date(Date.parse(dueAt) + ms).toISOString() };
}

function onlyPaused({ dueAt, ...query }: ThreadQuery): ThreadQuery {
  return dueAt === undefined ? query : { phase: 'paused', ...query };
}

/** As from an index that is added to and never cleared. */
function rememberingDue({ store }: Working): Partial<Checkpointer> {
  const seen = new Map<string, ThreadSummary>();
  return {
    async save(threadId, write) {
      const position = await store.save(threadId, write);
      for (const thread of (await store.query({ dueAt: '9999-12-31' })).threads) seen.set(thread.threadId, thread);
      return position;
    },
    async query(query) {
      return query.dueAt === undefined ? store.query(query) : { threads: [...seen.values()].sort(byUtf16) };
    },
  };
}

/** Asks for the time alone, and not whether the thread is paused. */
function leftOvers({ store }: Working): Partial<Checkpointer> {
  return {
    async query({ dueAt, ...query }) {
      const page = await store.query(query);
      if (dueAt === undefined) return page;
      const heads = await Promise.all(page.threads.map(({ threadId }) => store.peek(threadId)));
      const isDue = (index: number) => heads[index]?.found && (heads[index].head.run?.pause?.wake_at ?? '~') <= dueAt;
      return { ...page, threads: page.threads.filter((_, index) => isDue(index)) };
    },
  };
}
