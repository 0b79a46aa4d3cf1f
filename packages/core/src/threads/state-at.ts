import type { PastState } from '../agent/record/past-state.ts';
import type { StorePort } from '../agent/saving/store-port.ts';
import { AgentStateError } from '../protocol/errors.ts';
import type { StepRecord, ThreadState } from '../state/schema.ts';

/** From the thread as it is now and the records of its steps. */
export async function stateAt(port: StorePort, threadId: string, now: ThreadState, step: number): Promise<PastState> {
  return rebuild(threadId, now, await allSteps(port, threadId), step);
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
function rebuild(threadId: string, now: ThreadState, steps: readonly StepRecord[], step: number): PastState {
  const position = steps.findLastIndex((record) => record.step === step);
  const record = steps[position];
  if (!record) throw new AgentStateError('not_found', `There is no record of step ${step}.`, { threadId });
  if (record.generation !== steps.at(-1)?.generation) {
    throw new AgentStateError('not_found', `The history was rewritten after step ${step}.`, { threadId });
  }
  const changed = steps.slice(0, position + 1).findLast(({ variables }) => variables !== undefined);
  return Object.freeze({
    current_step: step,
    variables: changed?.variables ?? unchanged(now, steps),
    history: Object.freeze(now.history.slice(0, record.history_length)),
  });
}

/** Where no step ever changed the variables, they are what they were. */
function unchanged({ variables }: ThreadState, steps: readonly StepRecord[]): ThreadState['variables'] {
  return steps.some((step) => step.variables !== undefined) ? {} : variables;
}
