import { noThread } from '../agent/failures.ts';
import type { PastState } from '../agent/record/past-state.ts';
import type { StorePort } from '../agent/saving/store-port.ts';
import type { Checkpoint } from '../protocol/checkpointer.ts';
import { AgentStateError } from '../protocol/errors.ts';
import type { StepRecord, ThreadState } from '../state/schema.ts';

/** A thread as it is, and as it was after a step. */
export interface Past {
  readonly now: ThreadState;
  readonly past: PastState;
}

/** From the thread as it was found and the records of its steps. One saved since is told by the thread as it is then. */
export async function pastAt(port: StorePort, threadId: string, found: Checkpoint, step: number): Promise<Past> {
  const steps = await allSteps(port, threadId);
  const position = steps.findLastIndex((record) => record.step === step);
  const record = steps[position];
  if (!record) throw notFound(threadId, `There is no record of step ${step}.`);
  const { state, generation } = isSince(found, record) ? await loaded(port, threadId) : found;
  if (record.generation !== generation) throw notFound(threadId, `The history was rewritten after step ${step}.`);
  return { now: state, past: stateAfter(state, steps, position, record) };
}

function isSince({ generation, length }: Checkpoint, record: StepRecord): boolean {
  return record.generation > generation || (record.generation === generation && record.history_length > length);
}

/** What is stored of the thread. Throws `not_found` where there is none. */
export async function loaded(port: StorePort, threadId: string): Promise<Checkpoint> {
  const found = await port.load(threadId);
  if (!found.found) throw noThread(threadId);
  return found;
}

async function allSteps(port: StorePort, threadId: string): Promise<StepRecord[]> {
  const all: StepRecord[] = [];
  for (;;) {
    const page = await port.steps(threadId, { from: all.length });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** The history only grows within a generation, so a step's state is a part of what is stored now. */
function stateAfter(now: ThreadState, steps: readonly StepRecord[], position: number, record: StepRecord): PastState {
  const changed = steps.slice(0, position + 1).findLast(({ variables }) => variables !== undefined);
  return Object.freeze({
    current_step: record.step,
    variables: changed?.variables ?? unchanged(now, steps),
    history: Object.freeze(now.history.slice(0, record.history_length)),
  });
}

/** Where no step ever changed the variables, they are what they were. */
function unchanged({ variables }: ThreadState, steps: readonly StepRecord[]): ThreadState['variables'] {
  return steps.some((step) => step.variables !== undefined) ? {} : variables;
}

function notFound(threadId: string, message: string): AgentStateError {
  return new AgentStateError('not_found', message, { threadId });
}
