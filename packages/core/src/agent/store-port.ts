import type {
  Absence,
  Checkpoint,
  Checkpointer,
  CheckpointWrite,
  Glimpse,
  Position,
} from '../protocol/checkpointer.ts';
import { withDeadline } from '../protocol/deadline.ts';
import { AgentStateError, isAgentStateError } from '../protocol/errors.ts';
import type { Runtime } from '../protocol/runtime.ts';

/** What the agent uses of a checkpointer, each call under a deadline of our own. */
export interface StorePort {
  load(threadId: string): Promise<Checkpoint | Absence>;
  peek(threadId: string): Promise<Glimpse | Absence>;
  save(threadId: string, write: CheckpointWrite): Promise<Position>;
}

/**
 * No client is trusted to end a call: one that missed its deadline is told so (`reset`), and what it does later is of
 * no interest. An error that is not ours, from an adapter that throws what its driver throws, is an outage.
 */
export function createStorePort(checkpointer: Checkpointer, runtime: Runtime, callMs: number): StorePort {
  const call = async <T>(what: string, run: () => Promise<T>): Promise<T> => {
    let answered = false;
    try {
      return await withDeadline(runtime, callMs, `${what} on ${checkpointer.name}`, () =>
        run().finally(() => {
          answered = true;
        }),
      );
    } catch (error) {
      if (!answered) checkpointer.reset();
      throw isAgentStateError(error) ? error : foreign(checkpointer.name, error);
    }
  };
  return {
    load: (threadId) => call('load', () => checkpointer.load(threadId)),
    peek: (threadId) => call('peek', () => checkpointer.peek(threadId)),
    save: (threadId, write) => call('save', () => checkpointer.save(threadId, write)),
  };
}

function foreign(name: string, cause: unknown): AgentStateError {
  return new AgentStateError('unavailable', `The ${name} checkpointer failed.`, { applied: 'maybe', cause });
}
