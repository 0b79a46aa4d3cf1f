import { asObject, type CallPieces, type Choice, callsOf, piecesOf } from './answer.ts';
import { parseJson } from './body.ts';
import { refusedRequest, wrongAnswer } from './failures.ts';
import { reasonIn } from './reason.ts';

/** A call under construction: `text` grows piece by piece. */
interface GrowingCall {
  readonly index: unknown;
  id: unknown;
  name: unknown;
  text: string | undefined;
}

interface Growing {
  content: string | null;
  readonly calls: GrowingCall[];
  finishReason: unknown;
  usage: unknown;
  choices: number;
  ended: boolean;
}

/** Puts a streamed completion together, and hands its text out as it comes. */
export async function collect(
  events: AsyncIterable<string>,
  onText: (text: string) => void,
): Promise<{ choice: Choice; usage: unknown }> {
  const growing: Growing = {
    content: null,
    calls: [],
    finishReason: null,
    usage: undefined,
    choices: 0,
    ended: false,
  };
  for await (const event of events) {
    if (event === '[DONE]') {
      growing.ended = true;
      break;
    }
    addChunk(growing, parseJson(event), onText);
  }
  return finished(growing);
}

function addChunk(growing: Growing, chunk: unknown, onText: (text: string) => void): void {
  const { choices, usage, error } = asObject(chunk, 'has a piece that is no object');
  if (error !== undefined && error !== null) throw refusedRequest(statusOf(error), reasonIn(chunk), undefined);
  if (usage !== undefined && usage !== null) growing.usage = usage;
  const [first] = Array.isArray(choices) ? choices : [];
  // The last piece has the usage and no choice.
  if (first === undefined) return;
  growing.choices += 1;
  const { delta, finish_reason: finishReason } = asObject(first, 'has a choice that is no object');
  if (finishReason !== undefined && finishReason !== null) growing.finishReason = finishReason;
  const { content, refusal, tool_calls: calls } = asObject(delta ?? {}, 'has a piece without a delta');
  addText(growing, content ?? refusal, onText);
  for (const call of callsOf(calls)) addCall(growing.calls, call);
}

function addText(growing: Growing, text: unknown, onText: (text: string) => void): void {
  if (text === undefined || text === null) return;
  if (typeof text !== 'string') throw wrongAnswer('has content that is no text');
  growing.content = (growing.content ?? '') + text;
  if (text !== '') onText(text);
}

function addCall(calls: GrowingCall[], call: unknown): void {
  const { index } = call as { index?: unknown };
  const { id, name, arguments: text } = piecesOf(call);
  const growing = callFor(calls, index, id);
  if (isGiven(id) && !isGiven(growing.id)) growing.id = id;
  if (isGiven(name) && !isGiven(growing.name)) growing.name = name;
  if (text === undefined || text === null) return;
  if (typeof text !== 'string') throw wrongAnswer('has a tool call whose arguments are no text');
  growing.text = (growing.text ?? '') + text;
}

/** Pieces belong together by index; where a server sends none, a new id begins a new call. */
function callFor(calls: GrowingCall[], index: unknown, id: unknown): GrowingCall {
  const indexed = typeof index === 'number';
  const known = indexed
    ? calls.find((call) => call.index === index)
    : isGiven(id)
      ? calls.find((call) => call.id === id)
      : calls.at(-1);
  if (known) return known;
  const call: GrowingCall = { index: indexed ? index : undefined, id: undefined, name: undefined, text: undefined };
  calls.push(call);
  return call;
}

/** A stream that just ends is cut off: only a finish reason or the end mark say that all is there. */
function finished({ content, calls, finishReason, usage, choices, ended }: Growing) {
  if (finishReason === null && !ended) throw wrongAnswer('ends before it is complete');
  if (choices === 0) throw wrongAnswer('has no choices');
  const inOrder = calls.toSorted((a, b) => Number(a.index ?? 0) - Number(b.index ?? 0));
  const pieces = inOrder.map(({ id, name, text }): CallPieces => ({ id, name, arguments: text }));
  return { choice: { content, refusal: null, finishReason, calls: pieces }, usage };
}

function statusOf(error: unknown): number {
  const { status, code } = error as { status?: unknown; code?: unknown };
  return [status, code].find((value): value is number => Number.isSafeInteger(value)) ?? 500;
}

function isGiven(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
