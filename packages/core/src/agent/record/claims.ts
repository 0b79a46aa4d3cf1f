import { appendTo } from '../../state/encode.ts';
import type { Message, OpenCall, RunRecord, ThreadState } from '../../state/schema.ts';
import { isCleared } from './call-state.ts';
import { isThere } from './inputs.ts';
import { outcomeOf } from './run-state.ts';
import { freeze, withMetadata, withRun } from './transitions.ts';
import { turnsOf } from './turns.ts';

/** The ways to begin or go on with a run, as functions from one state to the next. Pure, as the transitions are. */

export interface NewRun {
  readonly runId: string;
  readonly inputId: string;
  readonly owner: string;
  readonly input: Message;
  /** `reject`: calls that wait for a person are answered as rejected, the others settled as after a cancelled run. */
  readonly settle?: 'reject' | undefined;
}

/**
 * W0 for a new input. An input never lands between calls and their results: where calls are open, it waits for them.
 * After a failed or cancelled run the open calls are answered without running them (`settle`).
 */
export function startRun(state: ThreadState, { runId, inputId, owner, input, settle }: NewRun): ThreadState {
  const before = state.run;
  const message = withMetadata(input, { input_id: inputId, ...(before ? { previous_run: outcomeOf(before) } : {}) });
  const run = newRunRecord(before, runId, inputId, owner);
  if (!before || run.calls.length === 0) {
    return freeze({ ...state, history: appendTo(state.history, [message]), run: { ...run, settle: null } });
  }
  return freeze({
    ...state,
    run: {
      ...run,
      phase: 'act',
      settle: settle ?? settledAfter(before),
      pending_inputs: [...run.pending_inputs, message],
    },
  });
}

/**
 * W0 for an input whose run has failed or was cancelled: a new run of the same input. One whose answer is there all the
 * same is done with it: to think again would be a second answer.
 */
export function retryRun(state: ThreadState, runId: string, owner: string): ThreadState {
  return withRun(state, (before) => {
    const run = newRunRecord(before, runId, before.input_id, owner);
    if (isAnswered(state, before)) return { ...run, phase: 'done', owner: null };
    return { ...run, phase: before.calls.length > 0 ? 'act' : 'think', settle: settledAfter(before) };
  });
}

/** Where the input is gone from the history, nothing tells its answer from what stands in its place. */
function isAnswered(state: ThreadState, { input_id }: RunRecord): boolean {
  const last = isThere(state, input_id) ? turnsOf(state).get(input_id)?.at(-1) : undefined;
  return last?.role === 'assistant' && (last.metadata?.tool_calls ?? []).length === 0;
}

function newRunRecord(before: RunRecord | undefined, id: string, inputId: string, owner: string): RunRecord {
  return {
    id,
    input_id: inputId,
    phase: 'think',
    epoch: (before?.epoch ?? 0) + 1,
    claim: before?.claim ?? '',
    owner,
    owner_write: before?.owner_write ?? '',
    requests: before?.requests ?? [],
    attempt: 0,
    iterations: 0,
    active_ms: 0,
    calls: before ? countedAttempts(before) : [],
    pending_inputs: before?.pending_inputs ?? [],
    settle: null,
    pause: null,
    error: null,
  };
}

/** How the calls that a run left open are settled: nothing is run for a run that failed or was cancelled. */
function settledAfter({ phase, calls, settle }: RunRecord): RunRecord['settle'] {
  if (calls.length === 0) return null;
  return phase === 'failed' || phase === 'cancelled' ? 'none' : settle;
}

/** W0 of a resume: the same run, a new owner. Only for a state with a run. */
export function takeRun(state: ThreadState, owner: string): ThreadState {
  return withRun(state, (run) => ({
    ...run,
    epoch: run.epoch + 1,
    owner,
    phase: run.calls.length > 0 ? 'act' : 'think',
    attempt: run.attempt + (run.owner === null ? 0 : 1),
    calls: countedAttempts(run),
    pause: null,
  }));
}

/** Where an owner was still named, it died with these calls in its hands. */
function countedAttempts(run: RunRecord): readonly OpenCall[] {
  if (run.owner === null) return run.calls;
  return run.calls.map((call) =>
    !call.result && call.effect !== 'once' && isCleared(call) ? { ...call, attempt: call.attempt + 1 } : call,
  );
}
