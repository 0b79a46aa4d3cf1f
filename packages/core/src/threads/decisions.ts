import { isDeepStrictEqual } from 'node:util';
import { namesCall, questionKey } from '../agent/record/call-key.ts';
import { isWaiting, mayHaveStarted } from '../agent/record/call-state.ts';
import { type PendingCall, pendingCalls } from '../agent/record/pending-calls.ts';
import { decided, proposed } from '../agent/record/requests.ts';
import { takesDecisions } from '../agent/record/run-state.ts';
import { AgentStateError } from '../protocol/errors.ts';
import { toJson } from '../state/json.ts';
import type { CallDecision, OpenCall, RunRecord, ThreadState } from '../state/schema.ts';
import { type Asking, ask } from './ask.ts';

/** Whether a decision is the one that counts; of a call, the first one does. */
export interface DecisionReceipt {
  readonly counted: boolean;
  /** The decision that counts. */
  readonly decision: CallDecision;
}

/** Records a decision on a waiting call. It only records: `resume`, in any process, goes on with it. */
export async function decide(
  asking: Asking,
  threadId: string,
  key: string,
  decision: CallDecision,
): Promise<DecisionReceipt> {
  const said = checked(decision);
  const mine = { ...said, id: asking.runtime.id() };
  return ask<DecisionReceipt>(
    asking,
    threadId,
    (run) => {
      const call = callOf(threadId, run, key);
      if (call.decision) {
        const { id, ...first } = call.decision;
        return { answer: { counted: id === mine.id, decision: first } };
      }
      assertOpen(threadId, run);
      assertDecidable(threadId, call, said);
      return { run: decided(run, call.key, mine) };
    },
    { counted: true, decision: said },
  );
}

/**
 * Proposes other arguments for a call that waits for its approval. It is a new proposal with a key of its own, to be
 * decided anew: a decision for the former key does not count for it.
 */
export async function propose(asking: Asking, threadId: string, key: string, args: unknown): Promise<PendingCall> {
  const text = argumentsText(args);
  const isMine = (call: OpenCall) => call.replaces?.at(-1) === key && call.arguments === text;
  let proposal: PendingCall | undefined;
  await ask(
    asking,
    threadId,
    (run, state) => {
      const done = run.calls.some(isMine);
      const next = done ? run : editedRun(threadId, state, run, key, text);
      const newKey = next.calls.find(isMine)?.key;
      proposal = pendingCalls({ ...state, run: next }).find((call) => call.key === newKey);
      return done ? { answer: undefined } : { run: next };
    },
    undefined,
  );
  if (!proposal) throw noCall(threadId);
  return proposal;
}

function editedRun(threadId: string, state: ThreadState, run: RunRecord, key: string, args: string): RunRecord {
  const call = callOf(threadId, run, key);
  assertOpen(threadId, run);
  if (!isWaiting(call)) throw refused(threadId, 'was decided already');
  if (mayHaveStarted(call)) throw refused(threadId, 'may have started, so its arguments cannot be changed');
  const { arguments: now } = pendingCalls(state).find((pending) => pending.key === key) ?? {};
  if (now !== undefined && isSame(now, args)) throw refused(threadId, 'has these arguments: decide on it');
  return proposed(threadId, state.current_step, run, key, args);
}

/** The model may have written the same in another way, or what is no JSON. */
function isSame(text: string, proposal: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), JSON.parse(proposal));
  } catch {
    return false;
  }
}

/** The call that the key names, if what it asks is still what the key stands for. */
function callOf(threadId: string, { calls }: RunRecord, key: string): OpenCall {
  const call = calls.find((open) => namesCall(key, open));
  if (!call) throw noCall(threadId);
  if (key !== questionKey(call)) throw refused(threadId, 'asks something else now: look at what is pending');
  return call;
}

/** A run that has ended, or whose calls are answered without being run, asks nobody any more. */
function assertOpen(threadId: string, run: RunRecord): void {
  if (!takesDecisions(run)) throw refused(threadId, 'is not run any more');
}

function assertDecidable(threadId: string, call: OpenCall, { verdict }: CallDecision): void {
  if (!isWaiting(call)) throw refused(threadId, 'does not wait for anybody');
  if (call.waits_for === 'outcome' && verdict === 'approve') {
    throw refused(threadId, 'has started before and is not started again: answer or reject it');
  }
}

function checked(decision: CallDecision): CallDecision {
  const { verdict } = decision ?? {};
  assertFields(decision);
  if (verdict === 'approve') return { verdict };
  if (verdict === 'reject') {
    const { reason } = decision as Extract<CallDecision, { verdict: 'reject' }>;
    return reason === undefined ? { verdict } : { verdict, reason: textIn(reason, 'decision.reason') };
  }
  if (verdict === 'answer') {
    const { result } = decision as Extract<CallDecision, { verdict: 'answer' }>;
    return { verdict, result: textIn(result, 'decision.result') };
  }
  const message = 'A decision has the verdict approve, reject or answer.';
  throw new AgentStateError('invalid_argument', message, { path: 'decision.verdict' });
}

const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  approve: ['verdict'],
  reject: ['verdict', 'reason'],
  answer: ['verdict', 'result'],
};

/** What a decision says besides is not to be lost without a word: who approves other arguments means those. */
function assertFields(decision: CallDecision): void {
  const { verdict } = decision ?? {};
  const known = Object.hasOwn(fieldsOf, verdict) ? fieldsOf[verdict] : undefined;
  const unknown = Object.entries(decision ?? {}).find(([name, value]) => value !== undefined && !known?.includes(name));
  if (!known || !unknown) return;
  const hint = verdict === 'approve' ? ' To have the call run with other arguments, propose them first.' : '';
  throw new AgentStateError('invalid_argument', `The verdict ${verdict} takes no ${unknown[0]}.${hint}`, {
    path: `decision.${unknown[0]}`,
  });
}

/** It lies in the head, with everything else of the turn, until the turn is settled. */
const maxTextLength = 100_000;

function textIn(value: unknown, path: string): string {
  if (typeof value === 'string' && value.length <= maxTextLength) return toJson(value, path) as string;
  throw new AgentStateError('invalid_argument', `${path} has to be text of at most ${maxTextLength} characters.`, {
    path,
  });
}

function argumentsText(args: unknown): string {
  const isObject = typeof args === 'object' && args !== null && !Array.isArray(args);
  if (isObject) return textIn(JSON.stringify(toJson(args, 'arguments')), 'arguments');
  throw new AgentStateError('invalid_argument', 'The arguments of a call are an object.', { path: 'arguments' });
}

function noCall(threadId: string): AgentStateError {
  const message = 'No open call of this thread has that key: it has been settled, or its arguments were changed.';
  return new AgentStateError('not_found', message, { threadId });
}

function refused(threadId: string, why: string): AgentStateError {
  return new AgentStateError('invalid_argument', `The call ${why}.`, { threadId, path: 'key' });
}
