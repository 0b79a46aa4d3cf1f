import assert from 'node:assert/strict';
import {
  type Absence,
  type AgentStateError,
  type Checkpoint,
  type Checkpointer,
  type CheckpointWrite,
  type ErrorCode,
  isAgentStateError,
  type Position,
  type ThreadQuery,
} from '@agent-state/core';

/** The thread, which has to be there. */
export async function loaded(store: Checkpointer, threadId: string): Promise<Checkpoint> {
  const found = await store.load(threadId);
  assert(found.found, `thread ${JSON.stringify(threadId)} is not there`);
  return found;
}

/** The absence of the thread, which load and peek have to agree on. */
export async function absent(store: Checkpointer, threadId: string): Promise<Absence> {
  const found = await store.load(threadId);
  assert.equal(found.found, false, `thread ${JSON.stringify(threadId)} is still there`);
  assert.deepEqual(await store.peek(threadId), found, 'peek does not say what load says');
  return found as Absence;
}

/** Saves and loads: the state that was saved, the position that the save gave, all of it frozen. */
export async function savedAndLoaded(
  store: Checkpointer,
  threadId: string,
  write: CheckpointWrite,
): Promise<Checkpoint> {
  const position = await store.save(threadId, write);
  const found = await loaded(store, threadId);
  assert.deepEqual(found.state, write.state, 'what was loaded is not what was saved');
  assert.deepEqual(positionOf(found), position, 'load gives another position than save');
  return found;
}

/** The position alone, without state or head. */
export function positionOf({ etag, revision, life, generation, length, steps, ahead, ttl, updatedAt }: Position) {
  return { etag, revision, life, generation, length, steps, ahead, ttl, updatedAt };
}

/** The error that `work` has to fail with. */
export async function refused(work: Promise<unknown>, code: ErrorCode): Promise<AgentStateError> {
  const outcome = await work.then(
    () => ({ done: true as const }),
    (error: unknown) => ({ done: false as const, error }),
  );
  if (outcome.done) assert.fail(`was done, though it has to be refused with ${code}`);
  const { error } = outcome;
  if (!isAgentStateError(error)) throw error;
  assert.equal(error.code, code, error.message);
  return error;
}

/** The ids of the threads that match, sorted. */
export async function matching(store: Checkpointer, query: ThreadQuery): Promise<string[]> {
  return (await store.query(query)).threads.map(({ threadId }) => threadId).sort();
}

/** That nothing in `value` can be changed. */
export function assertFrozen(value: unknown, path = 'state'): void {
  if (typeof value !== 'object' || value === null) return;
  assert(Object.isFrozen(value), `${path} is not frozen`);
  for (const [key, part] of Object.entries(value)) assertFrozen(part, `${path}.${key}`);
}
