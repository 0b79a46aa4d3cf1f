import { noThread } from '../agent/failures.ts';
import { forkAt, forkId, forkOf } from '../agent/record/fork.ts';
import { beginningOf } from '../agent/record/step-record.ts';
import type { Checkpoint } from '../protocol/checkpointer.ts';
import { AgentStateError, isAgentStateError } from '../protocol/errors.ts';
import type { ThreadState } from '../state/schema.ts';
import type { Asking } from './ask.ts';
import { type Budget, withinBudget } from './budget.ts';
import type { Past } from './state-at.ts';

export interface ForkRequest {
  /** The id of the fork; left out: one made from the thread's. */
  readonly as: string | undefined;
  /** What the thread was after the step to fork from; left out: the fork is of the thread as it is. */
  readonly past: ((found: Checkpoint) => Promise<Past>) | undefined;
}

/** Makes the fork and tells its id. One that may be there although it could not be told is named by the error. */
export async function forkThread(asking: Asking, threadId: string, { as, past }: ForkRequest): Promise<string> {
  const id = as ?? forkId(threadId, asking.runtime.id());
  const mine = new Set<string>();
  let made: boolean;
  try {
    made = await withinBudget(asking, (budget) => attemptFork(asking, budget, { threadId, id, past, mine }));
  } catch (error) {
    const unknown = isAgentStateError(error, 'unavailable') && error.applied === 'maybe' && mine.size > 0;
    throw unknown ? mayBeThere(threadId, id, error) : error;
  }
  if (made) return id;
  const message = 'There is a thread of that id already; nothing was written.';
  throw new AgentStateError('conflict', message, { threadId: id });
}

interface Attempt {
  readonly threadId: string;
  readonly id: string;
  readonly past: ForkRequest['past'];
  /** The ids of the writes so far, whatever became of them. */
  readonly mine: Set<string>;
}

/** Whether the fork is there; false where somebody else's thread is. Over a tombstone it begins another life. */
async function attemptFork({ port, runtime }: Asking, { left }: Budget, attempt: Attempt): Promise<boolean> {
  const { threadId, id, past, mine } = attempt;
  const there = await port.peek(id, left());
  if (there.found) return mine.has(there.life.born);
  const found = await port.load(threadId, left());
  if (!found.found) throw noThread(threadId);
  const state = { ...(await forkedFrom(found, past)), updated_at: new Date(runtime.now()).toISOString() };
  const writeId = runtime.id();
  mine.add(writeId);
  await port.save(id, { writeId, base: there, state, ttl: found.ttl, steps: [beginningOf(state)] }, left());
  return true;
}

async function forkedFrom(found: Checkpoint, pastOf: ForkRequest['past']): Promise<ThreadState> {
  if (!pastOf) return forkOf(found.state);
  const { now, past } = await pastOf(found);
  return forkAt(now, past);
}

function mayBeThere(threadId: string, forkId: string, cause: unknown): AgentStateError {
  const message = `It is not known whether the fork ${forkId} was stored.`;
  return new AgentStateError('unavailable', message, { threadId, applied: 'maybe', forkId, cause });
}
