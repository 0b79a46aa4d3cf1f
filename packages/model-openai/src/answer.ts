import type { ModelAnswer, TokenUsage, ToolCall } from '@agent-state/core';
import { refusedAnswer, wrongAnswer } from './failures.ts';

/** A choice of a completion, whole: as it came, or put together from a stream. */
export interface Choice {
  readonly content: unknown;
  readonly refusal: unknown;
  readonly calls: readonly CallPieces[];
  readonly finishReason: unknown;
}

export interface CallPieces {
  readonly id: unknown;
  readonly name: unknown;
  readonly arguments: unknown;
}

/** The answer that a completion is, or an error that says what is wrong with it. */
export function answerOf(choice: Choice, usage: unknown): ModelAnswer {
  if (choice.finishReason === 'content_filter') throw refusedAnswer('was stopped by its content filter');
  const toolCalls = choice.calls.map((call) => toolCall(call, choice.finishReason));
  const content = textOf(choice);
  if (content === null && toolCalls.length === 0) throw wrongAnswer('has neither text nor tool calls');
  const counted = usageOf(usage);
  return {
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(counted ? { usage: counted } : {}),
  };
}

/** A completion's own JSON, as one choice and its usage. */
export function completionOf(completion: unknown): { choice: Choice; usage: unknown } {
  const { choices, usage } = asObject(completion, 'is not an object');
  const [first] = Array.isArray(choices) ? choices : [];
  if (first === undefined) throw wrongAnswer('has no choices');
  const { message, finish_reason: finishReason } = asObject(first, 'has a choice that is no object');
  const { content, refusal, tool_calls: calls } = asObject(message, 'has a choice without a message');
  return { choice: { content, refusal, finishReason, calls: callsOf(calls).map(piecesOf) }, usage };
}

/** The `tool_calls` of a message or delta; absent and null both mean none. */
export function callsOf(calls: unknown): readonly unknown[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw wrongAnswer('has tool calls that are no list');
  return calls;
}

export function piecesOf(call: unknown): CallPieces {
  const { id, function: called } = asObject(call, 'has a tool call that is no object');
  const { name, arguments: text } = asObject(called ?? {}, 'has a tool call without a function');
  return { id, name, arguments: text };
}

export function asObject(value: unknown, fault: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongAnswer(fault);
  return value as Record<string, unknown>;
}

/** A refusal is what the model has to say. */
function textOf({ content, refusal }: Choice): string | null {
  const text = content ?? refusal ?? null;
  if (text === null || typeof text === 'string') return text;
  throw wrongAnswer('has content that is no text');
}

function toolCall({ id, name, arguments: text }: CallPieces, finishReason: unknown): ToolCall {
  if (typeof name !== 'string' || name === '') throw wrongAnswer('has a tool call without a name');
  // Servers leave the arguments of a tool that takes none away.
  const given = text === undefined || text === null || text === '' ? '{}' : text;
  if (typeof given !== 'string') throw wrongAnswer('has a tool call whose arguments are no text');
  if (finishReason === 'length' && !isJson(given)) throw wrongAnswer('was cut off in the arguments of a tool call');
  return { id: typeof id === 'string' ? id : '', type: 'function', function: { name, arguments: given } };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Absent where the server does not count, or not in whole tokens. */
function usageOf(usage: unknown): TokenUsage | undefined {
  const { prompt_tokens: input, completion_tokens: output } = (usage ?? {}) as Record<string, unknown>;
  if (!isCount(input) || !isCount(output)) return undefined;
  return { input_tokens: input, output_tokens: output };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
