import type {
  Absence,
  Checkpoint,
  Checkpointer,
  CheckpointWrite,
  Glimpse,
  ListOptions,
  StepsOptions,
  ThreadPage,
  ThreadQuery,
} from '../../protocol/checkpointer.ts';
import { withDeadline } from '../../protocol/deadline.ts';
import { AgentStateError, isAgentStateError } from '../../protocol/errors.ts';
import type { Position } from '../../protocol/position.ts';
import type { Runtime } from '../../protocol/runtime.ts';
import type { StepRecord } from '../../state/schema.ts';

/** A checkpointer as agents and people use it, each call under a deadline of our own, or within less where that is left. */
export interface StorePort {
  load(threadId: string, withinMs?: number): Promise<Checkpoint | Absence>;
  peek(threadId: string, withinMs?: number): Promise<Glimpse | Absence>;
  save(threadId: string, write: CheckpointWrite, withinMs?: number): Promise<Position>;
  delete(threadId: string): Promise<void>;
  steps(threadId: string, options?: StepsOptions): Promise<readonly StepRecord[]>;
  list(options?: ListOptions): Promise<ThreadPage>;
  query(query: ThreadQuery): Promise<ThreadPage>;
}

/**
 * No client is trusted to end a call: one that missed its deadline is told so (`reset`), and what it does later is of
 * no interest. Not where it has answered others meanwhile, or was made since: all calls under way share it, so a reset
 * for each late one would end them all, and a store that is merely slow would never be reached again. An error that is
 * not ours, from an adapter that throws what its driver throws, is an outage.
 */
export function createStorePort(checkpointer: Checkpointer, runtime: Runtime, callMs: number): StorePort {
  let heardAt = Number.NEGATIVE_INFINITY;
  const heard = (): void => {
    heardAt = runtime.monotonic();
  };
  const call = async <T>(what: string, run: () => Promise<T>, withinMs = callMs): Promise<T> => {
    if (withinMs <= 0) throw timeIsUp(checkpointer.name);
    const startedAt = runtime.monotonic();
    let answered = false;
    try {
      return await withDeadline(runtime, Math.min(callMs, withinMs), `${what} on ${checkpointer.name}`, () =>
        run().finally(() => {
          answered = true;
          heard();
        }),
      );
    } catch (error) {
      // What is left of a budget may be too short for any client.
      if (!answered && withinMs >= callMs && startedAt >= heardAt) {
        heard();
        checkpointer.reset();
      }
      throw isAgentStateError(error) ? error : foreign(checkpointer.name, error);
    }
  };
  return {
    load: (threadId, withinMs) => call('load', () => checkpointer.load(threadId), withinMs),
    peek: (threadId, withinMs) => call('peek', () => checkpointer.peek(threadId), withinMs),
    save: (threadId, write, withinMs) => call('save', () => checkpointer.save(threadId, write), withinMs),
    delete: (threadId) => call('delete', () => checkpointer.delete(threadId)),
    steps: (threadId, options) => call('steps', () => checkpointer.steps(threadId, options)),
    list: (options) => call('list', () => checkpointer.list(options)),
    query: (query) => call('query', () => checkpointer.query(query)),
  };
}

function foreign(name: string, cause: unknown): AgentStateError {
  return new AgentStateError('unavailable', `The ${name} checkpointer failed.`, { applied: 'maybe', cause });
}

function timeIsUp(name: string): AgentStateError {
  return new AgentStateError('unavailable', `No time is left to ask ${name}.`, { applied: 'no' });
}
