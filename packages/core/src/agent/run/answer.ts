import type { ModelAnswer } from '../../model/model.ts';
import { AgentStateError, type ErrorCode, isAgentStateError } from '../../protocol/errors.ts';
import { toMessage } from '../../state/encode.ts';
import type { Message, ToolCall } from '../../state/schema.ts';
import { assertFits } from '../record/results.ts';

/** An answer of the model that can be stored. */
export interface UsableAnswer {
  readonly message: Message;
  readonly calls: readonly ToolCall[];
  readonly usage: Pick<ModelAnswer, 'usage'>;
}

/** What the model gave, checked; what cannot be used is an error that `modelError` knows. `newId`: for calls without one. */
export function toUsable(given: unknown, newId: () => string, maxMessageBytes: number): UsableAnswer {
  const answer = answerOf(given);
  const calls = (answer.toolCalls ?? []).map((call) =>
    call.id === undefined || call.id === '' ? { ...call, id: `call_${newId()}` } : call,
  );
  const usage = answer.usage ? { usage: answer.usage } : {};
  const metadata = { ...(calls.length > 0 ? { tool_calls: calls } : {}), ...usage };
  const bare = { role: 'assistant', content: answer.content ?? null };
  const message = toMessage(Object.keys(metadata).length > 0 ? { ...bare, metadata } : bare, 'answer');
  assertFits(message, 'the answer', maxMessageBytes);
  return { message, calls: message.metadata?.tool_calls ?? [], usage };
}

/** What is neither an answer nor a call must not become a stored answer of nothing. */
function answerOf(given: unknown): ModelAnswer {
  if (typeof given !== 'object' || given === null) {
    throw unusable(`expected { content, toolCalls }, got ${kindOf(given)}`);
  }
  const { content, toolCalls } = given as { readonly content?: unknown; readonly toolCalls?: unknown };
  const calls = toolCalls ?? [];
  if (!Array.isArray(calls)) throw unusable(`toolCalls: expected an array, got ${kindOf(calls)}`);
  const odd = calls.findIndex((call) => typeof call !== 'object' || call === null);
  if (odd >= 0) throw unusable(`toolCalls[${odd}]: expected an object, got ${kindOf(calls[odd])}`);
  if ((content ?? null) === null && calls.length === 0) throw unusable('it has neither content nor tool calls');
  // What is in it is checked as any message is.
  return given as ModelAnswer;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function unusable(why: string): AgentStateError {
  return new AgentStateError('model', `The model's answer cannot be used: ${why}.`, { retryable: true });
}

const unstorable: ReadonlySet<ErrorCode> = new Set(['not_serializable', 'invalid_state', 'too_large']);

/** Whatever went wrong with asking the model, as a `model` error. */
export function modelError(threadId: string, error: unknown): AgentStateError {
  if (isAgentStateError(error, 'model')) return error;
  if (isAgentStateError(error) && unstorable.has(error.code)) {
    return new AgentStateError('model', `The model's answer cannot be stored: ${error.message}`, {
      threadId,
      retryable: true,
    });
  }
  return new AgentStateError('model', 'The model failed.', { threadId, cause: error });
}
