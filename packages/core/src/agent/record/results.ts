import { AgentStateError, isAgentStateError } from '../../protocol/errors.ts';
import { toMessage } from '../../state/encode.ts';
import { type JsonObject, toJson } from '../../state/json.ts';
import type { Message, OpenCall } from '../../state/schema.ts';
import { mayHaveStarted } from './call-state.ts';
import type { CallOutcome } from './transitions.ts';

/** What a result names of its call. */
type CallName = Pick<OpenCall, 'id' | 'tool' | 'arguments'>;

/** What a finished tool gave, as the result of its call. What JSON cannot carry is a failed result, not a failed save. */
export function resultOf(
  call: OpenCall,
  value: unknown,
  variables: JsonObject | undefined,
  maxMessageBytes: number,
): CallOutcome {
  try {
    const json = toJson(value ?? null, 'result');
    const result = toolMessage(call, typeof json === 'string' ? json : JSON.stringify(json), 'done');
    assertFits(result, 'the result', maxMessageBytes);
    return { status: 'done', result, variables };
  } catch (error) {
    if (isAgentStateError(error, 'not_serializable')) return failedResult(call, `${error.message} Return JSON.`);
    if (isAgentStateError(error, 'too_large')) return failedResult(call, error.message);
    throw error;
  }
}

/** A result that says why there is none. The model reads it, and may mend what it asked for. */
export function failedResult(call: OpenCall, reason: string): CallOutcome {
  return { status: 'failed', result: toolMessage(call, `Error: ${reason.slice(0, 20_000).toWellFormed()}`, 'failed') };
}

/** The answer of a call that was given up by a process that died or a run that ended; `said`: what a person adds. */
export function unknownResult(call: OpenCall, said?: string): CallOutcome {
  const known = 'Unknown: this call may or may not have run; its result was lost.';
  const content = said === undefined ? known : `${known} ${said.toWellFormed()}`;
  return { status: 'failed', result: toolMessage(call, content, 'unknown') };
}

/** The answer of a call that never started. */
export function notRunResult(call: CallName, why = 'the run was stopped before this call'): CallOutcome {
  return { status: 'failed', result: toolMessage(call, `Not run: ${why}.`, 'not_run') };
}

/** The answer of a call that a dead process began and, as its tool knows, did not finish. It is not begun again. */
export function notDoneResult(call: OpenCall): CallOutcome {
  return {
    status: 'failed',
    result: toolMessage(call, 'Not done: this call was begun and had no effect; it was not tried again.', 'not_done'),
  };
}

/** The answer of a call that a person refused, or that nobody may approve any more. */
export function rejectedResult(call: OpenCall, reason: string | undefined): CallOutcome {
  const said = reason === undefined ? 'Rejected: this call was not approved.' : `Rejected: ${reason.toWellFormed()}`;
  return { status: 'failed', result: toolMessage(call, said, 'rejected') };
}

/** What a person's decision makes of a call that is not to run: undefined where he approved it, or said nothing. */
export function decidedResult(call: OpenCall): CallOutcome | undefined {
  const { decision } = call;
  if (decision?.verdict === 'reject') {
    return mayHaveStarted(call) ? unknownResult(call, decision.reason) : rejectedResult(call, decision.reason);
  }
  return decision?.verdict === 'answer' ? answeredResult(call, decision.result) : undefined;
}

/** The answer of a call that is not to run any more: what a person said of it, or what is known of it. */
export function resultWithoutRunning(call: OpenCall, why?: string): CallOutcome {
  const decided = decidedResult(call);
  if (decided) return decided;
  return mayHaveStarted(call) ? unknownResult(call) : notRunResult(call, why);
}

function answeredResult(call: OpenCall, result: string): CallOutcome {
  return { status: 'done', result: toolMessage(call, result.toWellFormed(), 'done') };
}

function toolMessage(call: CallName, content: string, outcome: string): Message {
  const metadata = {
    tool_call_id: call.id,
    ...(outcome === 'done' ? {} : { outcome }),
    ...(call.arguments === undefined ? {} : { proposed_arguments: call.arguments }),
  };
  return toMessage({ role: 'tool', name: call.tool, content, metadata }, 'result');
}

/** Throws `too_large` before a save would: a message past the limit cannot be stored. */
export function assertFits(message: Message, what: string, limitBytes: number): void {
  const actualBytes = Buffer.byteLength(JSON.stringify(message));
  if (actualBytes <= limitBytes) return;
  const text = `${what} has ${actualBytes} bytes; ${limitBytes} are allowed.`;
  throw new AgentStateError('too_large', text, { limitBytes, actualBytes });
}
