import { type Checkpoint, type Checkpointer, createThreads } from '@agent-state/core';
import { expect } from 'vitest';

/** The revision that each step of a thread was stored with. */
export async function revisionsOf(store: Checkpointer, threadId: string): Promise<number[]> {
  const steps = await createThreads(store).steps(threadId);
  expect(steps.map(({ step }) => step)).toEqual(steps.map((_, index) => index + 1));
  return steps.map(({ revision }) => revision);
}

export async function loaded(store: Checkpointer, threadId: string): Promise<Checkpoint> {
  const found = await store.load(threadId);
  if (!found.found) return expect.fail('the thread is not stored');
  return found;
}
