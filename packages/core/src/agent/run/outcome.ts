import type { Message, PreviousRun, ThreadState } from '../../state/schema.ts';
import type { DoneResult, PausedResult } from '../api.ts';
import { answerGone } from '../failures.ts';
import { earlierRun } from '../record/inputs.ts';
import { pendingCalls } from '../record/pending-calls.ts';
import { textOf } from '../record/text.ts';
import { addUsage } from '../record/transitions.ts';
import { turnsOf } from '../record/turns.ts';

/** The result of a run that is done: the thread's last one, or an earlier one, by its input. */
export function doneResult(threadId: string, state: ThreadState, run: PreviousRun, durable: boolean): DoneResult {
  const turn = turnsOf(state).get(run.input_id) ?? [];
  const message = turn.at(-1);
  const isGone = earlierRun(state, run.input_id).answer === 'gone';
  if (isGone || message?.role !== 'assistant') throw answerGone(threadId);
  return Object.freeze({
    status: 'done',
    answer: textOf(message),
    message,
    durable,
    threadId,
    runId: run.run_id,
    step: state.current_step,
    usage: usageOf(turn),
  });
}

/** The result of a run that waits: for a person, or for somebody to resume it. */
export function pausedResult(threadId: string, state: ThreadState, durable: boolean): PausedResult {
  const { run } = state;
  if (!run) throw new TypeError('The thread has no run.');
  return Object.freeze<PausedResult>({
    status: 'paused',
    pause: run.pause ?? { kind: 'request' },
    calls: pendingCalls(state),
    durable,
    threadId,
    runId: run.id,
    step: state.current_step,
    usage: usageOf(turnsOf(state).get(run.input_id) ?? []),
  });
}

/** The usage of all answers of a turn. */
function usageOf(turn: readonly Message[]) {
  return turn.reduce((sum, { metadata }) => addUsage(sum, metadata?.usage), { input_tokens: 0, output_tokens: 0 });
}
