import type { Message, OpenCall, PreviousRun, ThreadState, ToolCall } from '../../state/schema.ts';
import type { DoneResult, PausedResult, PendingCall } from '../api.ts';
import { answerGone } from '../failures.ts';
import { questionKey } from '../record/call-key.ts';
import { isWaiting } from '../record/call-state.ts';
import { earlierRun } from '../record/inputs.ts';
import { takesDecisions } from '../record/run-state.ts';
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

/** The open calls that wait for a person, as he has to see them. */
export function pendingCalls({ history, run }: ThreadState): readonly PendingCall[] {
  if (!run || !takesDecisions(run)) return [];
  const made = history.at(-1)?.metadata?.tool_calls ?? [];
  return run.calls.flatMap((call, index) => (isWaiting(call) ? [pendingCall(call, made[index])] : []));
}

function pendingCall(call: OpenCall, made: ToolCall | undefined): PendingCall {
  return Object.freeze({
    key: questionKey(call),
    idempotencyKey: call.key,
    callId: call.id,
    tool: call.tool,
    arguments: call.arguments ?? made?.function.arguments ?? '',
    waitsFor: call.waits_for ?? 'approval',
  });
}

/** The usage of all answers of a turn. */
function usageOf(turn: readonly Message[]) {
  return turn.reduce((sum, { metadata }) => addUsage(sum, metadata?.usage), { input_tokens: 0, output_tokens: 0 });
}
