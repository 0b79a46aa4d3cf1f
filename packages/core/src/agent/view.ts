import type { Message } from '../state/schema.ts';

/**
 * What the model is shown: the history, with the profile's current system prompt in the place of the stored one.
 * Nothing stored is changed.
 */
export function modelView(history: readonly Message[], systemPrompt: string | undefined): readonly Message[] {
  if (systemPrompt === undefined) return history;
  const [first, ...rest] = history;
  if (first?.role !== 'system') return [{ role: 'system', content: systemPrompt }, ...history];
  return first.content === systemPrompt ? history : [{ ...first, content: systemPrompt }, ...rest];
}

/** Whether the profile's prompt is not the stored one. */
export function promptChanged(history: readonly Message[], systemPrompt: string | undefined): boolean {
  const [first] = history;
  return systemPrompt !== undefined && first?.role === 'system' && first.content !== systemPrompt;
}
