import { AgentStateError, type ErrorCode, isAgentStateError } from '../protocol/errors.ts';
import type { PreviousRun, RunRecord } from '../state/schema.ts';

/** What a run or a request ends with where it does not end well. */

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

export function agentsClosed(threadId: string): AgentStateError {
  return new AgentStateError('closed', 'The agents were closed; this run has stopped.', { threadId });
}

export function threadPaused(threadId: string, run: RunRecord | undefined): AgentStateError {
  const what = run?.pause?.kind === 'person' ? 'waits for a decision' : 'is paused until it is resumed';
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

export function answerGone(threadId: string): AgentStateError {
  const message =
    'This input was answered; since the history was rewritten, its turn does not end with that answer any more.';
  return new AgentStateError('not_found', message, { threadId });
}

export function loadFailed(threadId: string): AgentStateError {
  return new AgentStateError('unavailable', 'The thread could not be loaded; it is not known whether there is one.', {
    threadId,
    applied: 'no',
  });
}

export function toolMissing(threadId: string, tool: string, profile: string): AgentStateError {
  const message = `An open call needs the tool ${tool}, which the profile ${profile} does not have; nothing was written.`;
  return new AgentStateError('configuration', message, { threadId, path: 'tools' });
}
