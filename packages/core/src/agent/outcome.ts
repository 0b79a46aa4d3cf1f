import { AgentStateError, type ErrorCode, isAgentStateError } from '../protocol/errors.ts';
import type { Message, OpenCall, PreviousRun, RunRecord, ThreadState, ToolCall } from '../state/schema.ts';
import type { DoneResult, PausedResult, PendingCall } from './api.ts';
import { isWaiting, takesDecisions } from './next-step.ts';
import { textOf } from './text.ts';
import { addUsage } from './transitions.ts';

/** The result of a run that is done: the thread's last one, or an earlier one, by its input. */
export function doneResult(threadId: string, state: ThreadState, run: PreviousRun, durable: boolean): DoneResult {
  const turn = turnOf(state.history, run.input_id);
  const message = state.run?.id === run.run_id ? state.history.at(-1) : turn.at(-1);
  const isGone = state.history[0]?.metadata?.earlier_inputs?.[run.input_id]?.answer === 'gone';
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
    usage: usageOf(turnOf(state.history, run.input_id)),
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
    key: call.key,
    callId: call.id,
    tool: call.tool,
    arguments: call.arguments ?? made?.function.arguments ?? '',
    waitsFor: call.waits_for ?? 'approval',
  });
}

/** The messages from an input to the next one, without both. */
function turnOf(history: readonly Message[], inputId: string): readonly Message[] {
  const start = history.findLastIndex(({ metadata }) => metadata?.input_id === inputId);
  if (start < 0) return [];
  const end = history.findIndex(({ metadata }, index) => index > start && metadata?.input_id !== undefined);
  return history.slice(start + 1, end < 0 ? undefined : end);
}

/** The usage of all answers of a turn. */
function usageOf(turn: readonly Message[]) {
  return turn.reduce((sum, { metadata }) => addUsage(sum, metadata?.usage), { input_tokens: 0, output_tokens: 0 });
}

/** What a run that did not end in an answer is to who asks for its outcome. */
export function failureOf(threadId: string, { outcome, code }: PreviousRun): AgentStateError {
  if (outcome === 'superseded') {
    const message = 'The run of this input had not ended when a later input came; it was not answered by itself.';
    return new AgentStateError('superseded', message, { threadId });
  }
  const stored = (code ?? 'aborted') as ErrorCode;
  const message = 'The run of this input ended with this error; send a new input, or this one with `retry`, to go on.';
  return new AgentStateError(stored, message, { threadId });
}

/** Whatever ended a run, as an error of ours. */
export function toFailure(threadId: string, error: unknown): AgentStateError {
  if (isAgentStateError(error)) return error;
  return new AgentStateError('aborted', 'The run was stopped by an unexpected error.', { threadId, cause: error });
}

export function runAborted(threadId: string): AgentStateError {
  return new AgentStateError('aborted', 'The run was aborted.', { threadId });
}

export function runCancelled(threadId: string): AgentStateError {
  return new AgentStateError('aborted', 'The run was cancelled by a request.', { threadId });
}

export function runReleased(threadId: string): AgentStateError {
  return new AgentStateError('closed', 'The agents were closed; any process can go on with this run.', { threadId });
}

export function threadPaused(threadId: string, { pause }: RunRecord): AgentStateError {
  const what = pause?.kind === 'person' ? 'waits for a decision' : 'is paused until it is resumed';
  const hint = 'Resume it first, or send the input with onPaused: "reject".';
  return new AgentStateError('paused', `The thread ${what}; the input was not accepted. ${hint}`, { threadId });
}

export function threadBusy(threadId: string): AgentStateError {
  const message = 'Another process works on this thread (or died while it did); the input was not accepted.';
  return new AgentStateError('busy', message, { threadId });
}

export function takenOver(threadId: string): AgentStateError {
  return new AgentStateError('taken_over', 'Another process has taken this thread over; this run has stopped.', {
    threadId,
  });
}

export function diverged(threadId: string, forkId: string): AgentStateError {
  const message = `The thread has gone another way than the steps in memory; they are kept as the thread ${forkId}.`;
  return new AgentStateError('taken_over', message, { threadId, forkId });
}

export function noThread(threadId: string): AgentStateError {
  return new AgentStateError('not_found', 'Nothing is stored of this thread.', { threadId });
}

export function noRun(threadId: string): AgentStateError {
  return new AgentStateError('not_found', 'No agent has run on this thread; there is nothing to resume.', { threadId });
}

export function threadDeleted(threadId: string): AgentStateError {
  const message = 'The thread was deleted, or its time to live ran out; nothing more of this run is stored.';
  return new AgentStateError('deleted', message, { threadId });
}

function answerGone(threadId: string): AgentStateError {
  const message = 'This input was answered; the answer is gone since the history was rewritten.';
  return new AgentStateError('not_found', message, { threadId });
}

export function loadFailed(threadId: string): AgentStateError {
  return new AgentStateError('unavailable', 'The thread could not be loaded; it is not known whether there is one.', {
    threadId,
    applied: 'no',
  });
}
