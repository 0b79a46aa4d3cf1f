import { isDeepStrictEqual } from 'node:util';
import { toHistory } from '../../state/encode.ts';
import type { CallDecision, Message, OpenCall, Pause, RunRecord, ThreadState } from '../../state/schema.ts';
import { callKey } from './call-key.ts';
import { isWaiting } from './call-state.ts';
import { isOpen, waitsForPerson } from './run-state.ts';
import { withMetadata, withRun } from './transitions.ts';

/**
 * What others may ask of a run that they do not own, as functions from one record to the next; and what its owner makes
 * of it when it meets their write on top of its own. All pure.
 */

/** Undefined where there is nothing to cancel. */
export function cancelled(run: RunRecord): RunRecord | undefined {
  return isOpen(run) ? { ...run, phase: 'cancelled', owner: null, pause: null, error: { code: 'aborted' } } : undefined;
}

/** Undefined where nothing works, and nobody asked for a pause before. Who works keeps it until his tools have ended. */
export function pausedBy(run: RunRecord, pause: Pause): RunRecord | undefined {
  const works = run.phase === 'think' || run.phase === 'act' || run.pause?.kind === 'request';
  return works && isOpen(run) ? { ...run, phase: 'paused', pause } : undefined;
}

export function decided(run: RunRecord, key: string, decision: CallDecision & { readonly id: string }): RunRecord {
  return { ...run, calls: run.calls.map((call) => (call.key === key ? { ...call, decision } : call)) };
}

/** Other arguments for a call that waits for its approval: a new proposal, with a key of its own, to be decided anew. */
export function proposed(threadId: string, step: number, run: RunRecord, key: string, args: string): RunRecord {
  const change = (call: OpenCall, index: number): OpenCall => ({
    ...call,
    // With the key that it replaces: who goes back to earlier arguments makes a new proposal as well.
    key: callKey(threadId, run.id, step, index, call.tool, JSON.stringify([key, args])),
    arguments: args,
    replaces: [...(call.replaces ?? []), key],
  });
  return { ...run, calls: run.calls.map((call, index) => (call.key === key ? change(call, index) : call)) };
}

/** What the owner knows of his last write, and of himself. */
interface Own {
  /** How many messages it stored. */
  readonly stored: number;
  /** The pause that it wrote. */
  readonly pause: Pause | null;
  /** His name, where a run of his is at work. */
  readonly worker: string | undefined;
}

/**
 * The owner's state with what others asked under its claim. A cancel wins over everything, a pause over all but an end,
 * of two decisions the first. A pause that the owner has written himself is none that somebody asks for. Who was about to
 * pause for a decision that is there goes on, if he still works on it. What was asked of an earlier run of this claim is
 * noted where messages that are not stored tell how that run ended, and nowhere else.
 */
export function obey(state: ThreadState, asked: RunRecord, { stored, pause, worker }: Own): ThreadState {
  const requests = asked.requests;
  if (asked.id !== state.run?.id) return withRun(ofEarlierRun(state, asked, stored), (run) => ({ ...run, requests }));
  return withRun(state, (run) => {
    const next = { ...run, requests, calls: run.calls.map((call) => withDecision(call, asked.calls)) };
    if (asked.phase === 'cancelled')
      return { ...next, phase: 'cancelled', owner: null, pause: null, error: asked.error };
    if (!isOpen(run)) return next;
    const isAsked = asked.phase === 'paused' && !isDeepStrictEqual(asked.pause, pause);
    if (isAsked) return { ...next, phase: 'paused', pause: asked.pause };
    const isDecided = run.pause?.kind === 'person' && !waitsForPerson(next);
    return worker !== undefined && isDecided ? { ...next, phase: 'act', owner: worker, pause: null } : next;
  });
}

/** The decision or proposal that somebody else recorded for the same call, on the same question. */
function withDecision(call: OpenCall, asked: readonly OpenCall[]): OpenCall {
  const theirs = asked.find(({ key, replaces }) => key === call.key || replaces?.includes(call.key));
  if (!theirs || !isWaiting(call) || theirs.waits_for !== call.waits_for) return call;
  const { key, arguments: args, replaces, decision } = theirs;
  return {
    ...call,
    key,
    ...(args === undefined ? {} : { arguments: args }),
    ...(replaces === undefined ? {} : { replaces }),
    ...(decision === undefined ? {} : { decision }),
  };
}

function ofEarlierRun(state: ThreadState, asked: RunRecord, stored: number): ThreadState {
  if (asked.phase !== 'cancelled' || !state.run) return state;
  const note = (message: Message): Message => {
    const previous = message.metadata?.previous_run;
    if (previous?.run_id !== asked.id) return message;
    return withMetadata(message, { previous_run: { ...previous, outcome: 'cancelled', code: 'aborted' } });
  };
  const history = state.history.map((message, index) => (index < stored ? message : note(message)));
  return Object.freeze({
    ...state,
    history: toHistory(history),
    run: { ...state.run, pending_inputs: state.run.pending_inputs.map(note) },
  });
}
