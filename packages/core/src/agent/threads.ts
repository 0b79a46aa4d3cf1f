import type { Checkpointer, ListOptions, StepsOptions, ThreadPage, ThreadQuery } from '../protocol/checkpointer.ts';
import { AgentStateError } from '../protocol/errors.ts';
import type { StepRecord, ThreadState } from '../state/schema.ts';
import { noThread } from './outcome.ts';

/** Threads without an agent: to look at them, and to delete them. */
export interface Threads {
  /** The thread as last saved, deeply frozen; undefined where there is none. */
  get(threadId: string): Promise<ThreadState | undefined>;
  list(options?: ListOptions): Promise<ThreadPage>;
  query(query: ThreadQuery): Promise<ThreadPage>;
  steps(threadId: string, options?: StepsOptions): Promise<readonly StepRecord[]>;
  /** History and variables as they were after a step; the first is 1. `not_found` where the thread or the step is not there. */
  stateAt(threadId: string, step: number): Promise<Pick<ThreadState, 'current_step' | 'variables' | 'history'>>;
  delete(threadId: string): Promise<void>;
}

export function createThreads(checkpointer: Checkpointer): Threads {
  const get = async (threadId: string) => {
    const loaded = await checkpointer.load(threadId);
    return loaded.found ? loaded.state : undefined;
  };
  return Object.freeze<Threads>({
    get,
    list: (options) => checkpointer.list(options),
    query: (query) => checkpointer.query(query),
    steps: (threadId, options) => checkpointer.steps(threadId, options),
    delete: (threadId) => checkpointer.delete(threadId),
    async stateAt(threadId, step) {
      const state = await get(threadId);
      if (!state) throw noThread(threadId);
      return rebuild(threadId, state, await allSteps(checkpointer, threadId), step);
    },
  });
}

async function allSteps(checkpointer: Checkpointer, threadId: string): Promise<StepRecord[]> {
  const all: StepRecord[] = [];
  for (;;) {
    const page = await checkpointer.steps(threadId, { from: all.length });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** The history only grows within a generation, so a step's state is a part of what is stored now. */
function rebuild(threadId: string, state: ThreadState, steps: readonly StepRecord[], step: number) {
  const position = steps.findLastIndex((record) => record.step === step);
  const record = steps[position];
  if (!record) throw new AgentStateError('not_found', `There is no record of step ${step}.`, { threadId });
  if (record.generation !== steps.at(-1)?.generation) {
    throw new AgentStateError('not_found', `The history was rewritten after step ${step}.`, { threadId });
  }
  const changed = steps.slice(0, position + 1).findLast(({ variables }) => variables !== undefined);
  return Object.freeze({
    current_step: step,
    variables: changed?.variables ?? unchanged(state, steps),
    history: Object.freeze(state.history.slice(0, record.history_length)),
  });
}

/** Where no step ever changed the variables, they are what they were. */
function unchanged({ variables }: ThreadState, steps: readonly StepRecord[]): ThreadState['variables'] {
  return steps.some((step) => step.variables !== undefined) ? {} : variables;
}
