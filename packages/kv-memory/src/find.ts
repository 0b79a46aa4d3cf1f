import {
  compareSummaries,
  type Message,
  matches,
  type StoreQuery,
  summaryOf,
  type ThreadState,
  type ThreadSummary,
} from '@agent-state/core';
import type { MemoryThread } from './data.ts';

/** The threads that match, in the order of every listing. */
export function find(threads: Iterable<[string, MemoryThread]>, query: StoreQuery): ThreadSummary[] {
  const found: ThreadSummary[] = [];
  for (const [threadId, thread] of threads) {
    const state = stateOf(thread);
    if (matches(threadId, state, query)) found.push(summaryOf(threadId, state, thread.control.revision));
  }
  return found.sort(compareSummaries).slice(0, query.limit);
}

function stateOf({ control, head, variables, messages }: MemoryThread): ThreadState {
  return {
    ...(head.value as Omit<ThreadState, 'history' | 'variables'>),
    variables: variables.value as ThreadState['variables'],
    history: messages.slice(0, control.length).map(({ value }) => value as Message),
  };
}
