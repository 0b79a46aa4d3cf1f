import type { Checkpointer, ThreadPage } from '@agent-state/core';
import { state, user } from './fixtures.ts';

/** The instant so many minutes past noon. */
export const minute = (number: number) => new Date(Date.UTC(2026, 0, 1, 12, number)).toISOString();

export const idsOf = ({ threads }: ThreadPage) => threads.map(({ threadId }) => threadId);

/** Saves a thread that was updated at this minute past noon. */
export const at = (store: Checkpointer, threadId: string, number: number) =>
  store.save(threadId, { state: state([user(threadId)], { updated_at: minute(number) }) });
