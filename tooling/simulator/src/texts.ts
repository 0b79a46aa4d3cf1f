import type { Message } from '@agent-state/core';

/** What users and the model said; their texts are made so that none is said twice. */
export function textsOf(history: readonly Message[]): readonly string[] {
  const said = history.filter(({ role }) => role === 'user' || role === 'assistant');
  return said.flatMap(({ content }) => (typeof content === 'string' ? [content] : []));
}
