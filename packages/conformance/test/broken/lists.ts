import { AgentStateError, type Checkpointer, type ThreadQuery, type ThreadSummary } from '@agent-state/core';
import { asking, byUtf16, paging, without } from './asking.ts';
import { type BrokenAdapter, broken, type Working } from './broken.ts';

/** Finds by a judgement of its own, in all threads. */
const finding =
  (matches: (query: ThreadQuery, thread: { state: string; variables: Record<string, unknown> }) => boolean) =>
  ({ store }: Working): Partial<Checkpointer> => ({
    async query(query) {
      const { threads } = await store.list({ limit: 1_000 });
      const found: ThreadSummary[] = [];
      for (const thread of threads) {
        const loaded = await store.load(thread.threadId);
        if (!loaded.found) continue;
        const { history, variables } = loaded.state;
        if (matches(query, { state: JSON.stringify(history), variables })) found.push(thread);
      }
      return { threads: found };
    },
  });

const clamped = ({ limit, ...query }: ThreadQuery): ThreadQuery => ({
  ...query,
  ...(limit === undefined ? {} : { limit: Math.min(1_000, Math.max(1, Math.floor(Number(limit)) || 1)) }),
});

/** Checkpointers whose steps, lists and queries are wrong. */
export const brokenLists: readonly BrokenAdapter[] = [
  broken('loses steps', 'steps/appended', ({ store }) => ({
    save: (threadId, write) => store.save(threadId, { ...write, steps: (write.steps ?? []).slice(0, 1) }),
  })),
  broken('gives the latest steps first', 'steps/appended', ({ store }) => ({
    steps: async (threadId, options) => (await store.steps(threadId, options)).toReversed(),
  })),
  broken('ignores where steps begin', 'steps/window', ({ store }) => ({
    steps: (threadId, { from: _from, ...options } = {}) => store.steps(threadId, options),
  })),
  broken('drops the steps of a replaced history', 'steps/replace', ({ store }) => ({
    async steps(threadId, options) {
      const found = await store.peek(threadId);
      const generation = found.found ? found.generation : 0;
      return (await store.steps(threadId, options)).filter((step) => step.generation === generation);
    },
  })),
  broken(
    'lists a thread twice',
    'listing/pages',
    paging((threads) => [...threads, ...threads.slice(-1)]),
  ),
  broken(
    'lists the oldest first',
    'listing/order',
    paging((threads) => threads.toReversed()),
  ),
  broken(
    'sorts ids by UTF-16',
    'listing/order',
    paging((threads) => threads.toSorted(byUtf16)),
  ),
  broken(
    'sorts times as texts',
    'listing/instants',
    paging((threads) => threads.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))),
  ),
  broken('ends with the first page', 'listing/pages', ({ store }) => ({
    list: async (options) => ({ threads: (await store.list(options)).threads }),
  })),
  broken('pages by number, so that writes move threads', 'listing/pages-while-writing', byNumber),
  broken('stops where a thread that was listed is gone', 'listing/vanishing', bySnapshot),
  broken('gives the oldest of a limit', 'queries/most-recent', ({ store }) => ({
    async query({ limit = 100, ...query }) {
      return { threads: (await store.query({ ...query, limit: 1_000 })).threads.slice(-limit) };
    },
  })),
  broken(
    'leaves the start of a time range out',
    'queries/most-recent',
    asking(({ updatedFrom, ...query }) => ({
      ...query,
      ...(updatedFrom ? { updatedFrom: new Date(Date.parse(updatedFrom) + 1).toISOString() } : {}),
    })),
  ),
  broken('gives more than a limit', 'listing/limits', ({ store }) => ({
    list: ({ limit, ...options } = {}) => store.list({ ...options, ...(limit ? { limit: limit + 1 } : {}) }),
  })),
  broken('repairs odd limits', 'listing/odd-options', asking(clamped)),
  broken('takes any cursor', 'listing/odd-options', ({ store }) => ({
    list: ({ cursor, ...options } = {}) =>
      store.list({ ...options, ...(String(cursor).length > 20 ? { cursor: cursor as string } : {}) }),
  })),
  broken(
    'shows no phase',
    'listing/summary',
    paging((threads) => threads.map((thread) => ({ ...thread, phase: 'idle' }))),
  ),
  broken('lists threads that are gone', 'listing/gone', neverForgetting),
  broken('ignores the profile', 'queries/profile', without('agentProfile')),
  broken('ignores the variables', 'queries/variables', without('variables')),
  broken('ignores the tool', 'queries/tool', without('toolName')),
  broken('ignores the text', 'queries/text', without('text')),
  broken(
    'takes an end of a time range in',
    'queries/time',
    asking(({ updatedBefore, ...query }) => ({
      ...query,
      ...(updatedBefore ? { updatedBefore: new Date(Date.parse(updatedBefore) + 1).toISOString() } : {}),
    })),
  ),
  broken(
    'takes a text for a pattern',
    'queries/text',
    finding(({ text = '' }, { state }) =>
      new RegExp(text.replaceAll('\\', '').replace(/^\^$|^\$.*/, 'x^')).test(state),
    ),
  ),
  broken(
    'ignores the case of a text',
    'queries/text',
    finding(({ text = '' }, { state }) =>
      state.toLowerCase().includes(JSON.stringify(text.toLowerCase()).slice(1, -1)),
    ),
  ),
  broken(
    'looks for texts everywhere',
    'queries/text-places',
    finding(({ text = '' }, { state }) => state.includes(text)),
  ),
  broken(
    'takes an absent variable for null',
    'queries/variables',
    finding(({ variables = {} }, thread) =>
      Object.entries(variables).every(([key, value]) => (thread.variables[key] ?? null) === value),
    ),
  ),
  broken(
    'compares variables loosely',
    'queries/variables',
    finding(({ variables = {} }, thread) =>
      Object.entries(variables).every(([key, value]) => String(thread.variables[key]) === String(value)),
    ),
  ),
  broken(
    'takes a variable key for a path',
    'queries/variable-keys',
    finding(({ variables = {} }, thread) =>
      Object.entries(variables).every(([key, value]) => atPath(thread.variables, key) === value),
    ),
  ),
  broken('lets conditions through that are operators', 'queries/refused', ({ store }) => ({
    query: async (query) => store.query(query).catch(() => ({ threads: [] })),
  })),
];

function atPath(variables: Record<string, unknown>, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], variables);
}

function byNumber({ store }: Working): Partial<Checkpointer> {
  return {
    async list({ limit = 100, cursor = '0' } = {}) {
      const start = Number(cursor);
      const { threads } = await store.list({ limit: 1_000 });
      const page = threads.slice(start, start + limit);
      return { threads: page, ...(page.length === limit ? { cursor: String(start + limit) } : {}) };
    },
  };
}

function bySnapshot({ store }: Working): Partial<Checkpointer> {
  let snapshot: readonly ThreadSummary[] = [];
  return {
    async list({ limit = 100, cursor } = {}) {
      if (cursor === undefined) snapshot = (await store.list({ limit: 1_000 })).threads;
      const start = Number(cursor ?? 0);
      const threads = snapshot.slice(start, start + limit);
      for (const { threadId } of threads) {
        if (!(await store.peek(threadId)).found) throw new AgentStateError('corrupt', 'A listed thread is gone.');
      }
      return { threads, ...(threads.length === limit ? { cursor: String(start + limit) } : {}) };
    },
  };
}

function neverForgetting({ store }: Working): Partial<Checkpointer> {
  const seen = new Map<string, ThreadSummary>();
  return {
    async save(threadId, write) {
      const position = await store.save(threadId, write);
      for (const thread of (await store.list()).threads) seen.set(thread.threadId, thread);
      return position;
    },
    list: async () => ({ threads: [...seen.values()].sort(byUtf16) }),
  };
}
