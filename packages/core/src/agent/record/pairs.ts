import type { Message, ToolCall } from '../../state/schema.ts';

/**
 * A history as models accept it, whoever wrote it. The rule: each call is followed by its results, in call order, before
 * anything else; a call that has none says so; a result of no call is told as a user's message. A result belongs to the
 * nearest earlier message that made a call of its id and has none for it yet. Nothing is left out, and what is already
 * so comes back as it is.
 */
export function paired(history: readonly Message[]): readonly Message[] {
  if (isPaired(history)) return history;
  const results = resultsByCall(history);
  const taken = new Set([...results.values()].flatMap((byIndex) => [...byIndex.values()]));
  return history.flatMap((message) => {
    if (message.role === 'tool') return taken.has(message) ? [] : [orphan(message)];
    const calls = callsOf(message);
    if (calls.length === 0) return [message];
    const given = distinct(calls);
    const found = results.get(message);
    return [withCalls(message, given), ...given.map((call, index) => resultOf(call, found?.get(index)))];
  });
}

function isPaired(history: readonly Message[]): boolean {
  for (let index = 0; index < history.length; ) {
    const message = history[index] as Message;
    if (message.role === 'tool') return false;
    const ids = callsOf(message).map(({ id }) => id);
    const next = history.slice(index + 1, index + 1 + ids.length);
    if (new Set(ids).size < ids.length || ids.includes('')) return false;
    if (!ids.every((id, position) => next[position]?.role === 'tool' && idOf(next[position]) === id)) return false;
    index += 1 + ids.length;
  }
  return true;
}

/** For each message with calls: its results, by the position of the call. */
export function resultsByCall(history: readonly Message[]): Map<Message, Map<number, Message>> {
  const found = new Map<Message, Map<number, Message>>();
  const callers: Message[] = [];
  for (const message of history) {
    if (message.role !== 'tool') {
      if (callsOf(message).length > 0) callers.unshift(message);
      continue;
    }
    for (const caller of callers) {
      const byIndex = found.get(caller) ?? new Map<number, Message>();
      const index = callsOf(caller).findIndex(({ id }, position) => id === idOf(message) && !byIndex.has(position));
      if (index < 0) continue;
      found.set(caller, byIndex.set(index, message));
      break;
    }
  }
  return found;
}

/** Ids that are there once: a repeated or empty one gets a number, such that no other call has that name. */
function distinct(calls: readonly ToolCall[]): ToolCall[] {
  const taken = new Set(calls.map(({ id }) => id));
  const seen = new Set<string>();
  return calls.map((call, index) => {
    if (call.id !== '' && !seen.has(call.id)) {
      seen.add(call.id);
      return call;
    }
    const id = freeName(call.id || 'call', index + 1, taken);
    taken.add(id);
    return { ...call, id };
  });
}

function freeName(name: string, number: number, taken: ReadonlySet<string>): string {
  let next = number;
  while (taken.has(`${name}_${next}`)) next += 1;
  return `${name}_${next}`;
}

function withCalls(message: Message, calls: readonly ToolCall[]): Message {
  return { ...message, metadata: { ...message.metadata, tool_calls: calls } };
}

function resultOf({ id, function: { name } }: ToolCall, found: Message | undefined): Message {
  if (found) return { ...found, metadata: { ...found.metadata, tool_call_id: id } };
  const content = 'Unknown: no result of this call is in the history.';
  return { role: 'tool', name, content, metadata: { tool_call_id: id, outcome: 'unknown' } };
}

function orphan({ name, content }: Message): Message {
  const said = typeof content === 'string' ? content : JSON.stringify(content);
  return { role: 'user', content: `[Result of a call of ${name ?? 'a tool'} that is not in the history] ${said}` };
}

/** The calls that a message makes. */
export function callsOf({ role, metadata }: Message): readonly ToolCall[] {
  return role === 'assistant' ? (metadata?.tool_calls ?? []) : [];
}

function idOf(message: Message | undefined): string {
  return message?.metadata?.tool_call_id ?? '';
}
