import { AgentStateError, isAgentStateError } from '@agent-state/core';
import { isNothingSent, replyWord, sanitized } from './driver-errors.ts';

/** Where in a call it failed: before the command was sent, or after. */
export type Phase = 'connecting' | 'sent';

/** Redis refused, and did nothing. */
const refusals = new Set(
  'READONLY LOADING MASTERDOWN CLUSTERDOWN MOVED ASK TRYAGAIN NOREPLICAS OOM MISCONF BUSY NOMASTERLINK'.split(' '),
);
const denials = new Set('NOAUTH NOPERM WRONGPASS'.split(' '));

/** What a client or the server said, as the error of the protocol that it is. */
export function toError(error: unknown, phase: Phase, threadId: string): AgentStateError {
  if (isAgentStateError(error)) return error.code === 'unavailable' ? ofDeadline(error, phase, threadId) : error;
  const details = { threadId, cause: sanitized(error) };
  const word = replyWord(error);
  if (word === 'WRONGTYPE') {
    return new AgentStateError('corrupt', "The thread's key holds something else. It is left as it is.", details);
  }
  if (denials.has(word) || word === 'AUTH') {
    return new AgentStateError('denied', `Redis does not permit this (${word}).`, details);
  }
  if (word === 'UNKNOWN') {
    return new AgentStateError('denied', 'This Redis server does not run scripts, or lacks a command.', details);
  }
  if (refusals.has(word)) {
    return new AgentStateError('unavailable', refusal(word), { ...details, applied: 'no' });
  }
  const applied = phase === 'connecting' || isNothingSent(error) ? 'no' : 'maybe';
  const what = applied === 'no' ? 'Redis cannot be reached.' : 'Redis was lost before it answered.';
  return new AgentStateError('unavailable', what, { ...details, applied });
}

function ofDeadline({ message }: AgentStateError, phase: Phase, threadId: string): AgentStateError {
  return new AgentStateError('unavailable', message, { threadId, applied: phase === 'connecting' ? 'no' : 'maybe' });
}

function refusal(word: string): string {
  if (word !== 'MOVED') return `Redis refuses at the moment (${word}).`;
  return 'This Redis server is one of a cluster (MOVED): give a cluster client as `client`.';
}
