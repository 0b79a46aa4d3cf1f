import { AgentStateError, type ErrorCode, isAgentStateError } from '../protocol/errors.ts';
import type { Message, ThreadState } from '../state/schema.ts';
import type { RunResult } from './api.ts';
import { textOf } from './text.ts';
import { addUsage } from './transitions.ts';

/** The result of a thread whose run is done. */
export function resultOfRun(threadId: string, state: ThreadState, durable: boolean): RunResult {
  const message = state.history.at(-1);
  if (!message || !state.run) throw new TypeError('The run is not done.');
  return Object.freeze({
    status: 'done',
    answer: textOf(message),
    message,
    durable,
    threadId,
    runId: state.run.id,
    step: state.current_step,
    usage: usageOf(state.history, state.run.input_id),
  });
}

/** The usage of all answers since the input. */
function usageOf(history: readonly Message[], inputId: string) {
  const start = history.findLastIndex(({ metadata }) => metadata?.input_id === inputId);
  return history
    .slice(start + 1)
    .reduce((sum, { metadata }) => addUsage(sum, metadata?.usage), { input_tokens: 0, output_tokens: 0 });
}

/** Whatever ended a run, as an error of ours. A code alone is what was stored of an earlier failure. */
export function toFailure(threadId: string, error: unknown): AgentStateError {
  if (isAgentStateError(error)) return error;
  if (typeof error === 'string') {
    return new AgentStateError(
      error as ErrorCode,
      'The last run of this thread ended with this error; send a new input to go on.',
      {
        threadId,
      },
    );
  }
  return new AgentStateError('aborted', 'The run was stopped by an unexpected error.', { threadId, cause: error });
}

export function runAborted(threadId: string): AgentStateError {
  return new AgentStateError('aborted', 'The run was aborted.', { threadId });
}

export function takenOver(threadId: string): AgentStateError {
  return new AgentStateError('taken_over', 'Another process has taken this thread over; this run has stopped.', {
    threadId,
  });
}

export function diverged(threadId: string): AgentStateError {
  const message = 'What is stored of this thread is not what the steps in memory build on; they cannot be stored.';
  return new AgentStateError('taken_over', message, { threadId });
}

export function noThread(threadId: string): AgentStateError {
  return new AgentStateError('not_found', 'Nothing is stored of this thread.', { threadId });
}

export function noRun(threadId: string): AgentStateError {
  return new AgentStateError('not_found', 'No agent has run on this thread; there is nothing to resume.', { threadId });
}

export function loadFailed(threadId: string): AgentStateError {
  return new AgentStateError('unavailable', 'The thread could not be loaded; it is not known whether there is one.', {
    threadId,
    applied: 'no',
  });
}
