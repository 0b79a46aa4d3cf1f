import type { Message } from '../state/schema.ts';
import { paired } from './pairs.ts';

/**
 * What of the history the model is shown: some of its messages, or others in their place, as a summary. It changes
 * nothing that is stored. A call is shown with its results or not at all, whatever the view leaves out.
 */
export type HistoryView = (history: readonly Message[]) => readonly Message[];

/** A view of the last messages only, and the system prompt. */
export function lastMessages(count: number): HistoryView {
  return (history) => {
    const start = history.length - count;
    return history.filter(({ role }, index) => index >= start || (index === 0 && role === 'system'));
  };
}

/**
 * What the model is shown: the history made whole, seen through the view, with the profile's current system prompt in
 * the place of the stored one. Nothing stored is changed.
 */
export function modelView(
  history: readonly Message[],
  systemPrompt: string | undefined,
  view?: HistoryView,
): readonly Message[] {
  const whole = paired(history);
  const shown = view ? unparted(whole, view(whole)) : whole;
  if (systemPrompt === undefined) return shown;
  const [first, ...rest] = shown;
  if (first?.role !== 'system') return [{ role: 'system', content: systemPrompt }, ...shown];
  return first.content === systemPrompt ? shown : [{ ...first, content: systemPrompt }, ...rest];
}

/** What a view chose, with the results of the calls that it shows, and without those of the calls that it does not. */
function unparted(whole: readonly Message[], chosen: readonly Message[]): readonly Message[] {
  const position = new Map(whole.map((message, index) => [message, index]));
  return chosen.flatMap((message) => {
    const index = position.get(message);
    if (message.role === 'tool') return [];
    const calls = message.role === 'assistant' ? (message.metadata?.tool_calls?.length ?? 0) : 0;
    return index === undefined || calls === 0 ? [message] : [message, ...whole.slice(index + 1, index + 1 + calls)];
  });
}

/** Whether the profile's prompt is not the stored one. */
export function promptChanged(history: readonly Message[], systemPrompt: string | undefined): boolean {
  const [first] = history;
  return systemPrompt !== undefined && first?.role === 'system' && first.content !== systemPrompt;
}
