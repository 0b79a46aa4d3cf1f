import type { Message } from '@agent-state/core';

/** Whether every assistant message with calls is followed by its results, in order, and by nothing else: as models want it. */
export function isPaired(history: readonly Message[]): boolean {
  return history.every((message, index) => {
    const planned = message.metadata?.tool_calls ?? [];
    const results = history.slice(index + 1, index + 1 + planned.length);
    return planned.every(({ id }, at) => results[at]?.role === 'tool' && results[at]?.metadata?.tool_call_id === id);
  });
}
