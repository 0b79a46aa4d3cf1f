import { fail } from './fault.ts';
import type { PlainMessage, RecordedCall } from './recording.ts';

/** The calls of the last message that calls tools, with where their results stand. */
interface Turn {
  readonly calls: readonly RecordedCall[];
  readonly results: (number | undefined)[];
}

/**
 * Where the result of each call stands, for the messages from the first of the customer on. A fault where they are in
 * an order that no agent makes: it answers the customer, and it goes on when all calls have their results.
 */
export function turnsOf(
  messages: readonly PlainMessage[],
  opening: number,
): ReadonlyMap<number, readonly (number | undefined)[]> {
  const turns = new Map<number, Turn>();
  let turn: Turn = { calls: [], results: [] };
  for (const [index, message] of messages.entries()) {
    if (index < opening) continue;
    const path = `messages[${index}]`;
    if (message.role === 'tool') {
      turn.results[callOf(turn, message, path)] = index;
      continue;
    }
    if (turn.results.includes(undefined)) fail(path, 'comes before all calls have their results');
    turn = { calls: message.calls, results: message.calls.map(() => undefined) };
    if (message.role === 'assistant') assertTurn(message, messages[index - 1], path);
    else if (message.role !== 'user') fail(path, `is a ${message.role} message after the first of the customer`);
    if (message.calls.length > 0) turns.set(index, turn);
  }
  return new Map([...turns].map(([index, { results }]) => [index, results]));
}

/** Models repeat ids: a result belongs to the first call of the turn with that id that has none yet. */
function callOf({ calls, results }: Turn, { callId }: PlainMessage, path: string): number {
  const position = calls.findIndex(({ id }, index) => id === callId && results[index] === undefined);
  return position < 0 ? fail(`${path}.tool_call_id`, 'is of no call that waits for a result') : position;
}

function assertTurn({ calls }: PlainMessage, before: PlainMessage | undefined, path: string): void {
  if (before?.role === 'assistant' && before.calls.length === 0)
    fail(path, 'follows an answer: an agent waits for the customer');
  for (const [index, call] of calls.entries()) assertCall(call, `${path}.tool_calls[${index}].function`);
}

/** What the agent would answer itself, without asking the tool. */
function assertCall({ name, arguments: args }: RecordedCall, path: string): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) fail(`${path}.name`, 'is not a name that a tool can have');
  if (!isObject(args)) fail(`${path}.arguments`, 'are not a JSON object: an agent refuses them');
}

function isObject(args: string): boolean {
  try {
    const value: unknown = JSON.parse(args === '' ? '{}' : args);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
