import { isDeepStrictEqual } from 'node:util';
import { AgentStateError } from '../protocol/errors.ts';
import type { Message } from '../state/schema.ts';
import { callsOf, paired, resultsByCall } from './pairs.ts';

/**
 * What of the history the model is shown: some of its messages, or others in their place, as a summary. It changes
 * nothing that is stored. A call is shown with its results or not at all, whatever the view leaves out.
 */
export type HistoryView = (history: readonly Message[]) => readonly Message[];

/** A view of the last messages only, and the system prompt. It begins with a whole turn: a few more are shown for that. */
export function lastMessages(count: number): HistoryView {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new AgentStateError('configuration', 'lastMessages takes a whole number from 1 on.', { path: 'view' });
  }
  return (history) => {
    let start = Math.max(0, history.length - count);
    while (history[start]?.role === 'tool') start -= 1;
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
  const shown = view ? unparted(whole, chosenBy(view, whole)) : whole;
  if (systemPrompt === undefined) return shown;
  const [first, ...rest] = shown;
  if (first?.role !== 'system') return [{ role: 'system', content: systemPrompt }, ...shown];
  return first.content === systemPrompt ? shown : [{ ...first, content: systemPrompt }, ...rest];
}

function chosenBy(view: HistoryView, whole: readonly Message[]): readonly Message[] {
  let chosen: unknown;
  try {
    chosen = view(whole);
  } catch (cause) {
    throw new AgentStateError('configuration', 'The view of the history threw.', { path: 'view', cause });
  }
  if (Array.isArray(chosen)) return chosen as readonly Message[];
  throw new AgentStateError('configuration', 'The view of the history gave no array of messages.', { path: 'view' });
}

/**
 * What a view chose: each call that it shows with all of its results, changed or as they were, and no result of a call
 * that it does not show.
 */
function unparted(whole: readonly Message[], chosen: readonly Message[]): readonly Message[] {
  const shown = resultsByCall(chosen);
  const stored = resultsByCall(whole);
  const asTheyWere = new Set(chosen);
  // A message that the view changed is known by its calls; where several made the same ones, by being the last.
  const likeIt = (message: Message) =>
    [...stored].findLast(
      ([caller]) => !asTheyWere.has(caller) && isDeepStrictEqual(callsOf(caller), callsOf(message)),
    )?.[1];
  const storedOf = (message: Message) => stored.get(message) ?? likeIt(message);
  return paired(
    chosen.flatMap((message) => {
      if (message.role === 'tool') return [];
      const results = callsOf(message).flatMap((_, index) => {
        const result = shown.get(message)?.get(index) ?? storedOf(message)?.get(index);
        return result ? [result] : [];
      });
      return [message, ...results];
    }),
  );
}

/** Whether the profile's prompt is not the stored one. */
export function promptChanged(history: readonly Message[], systemPrompt: string | undefined): boolean {
  const [first] = history;
  return systemPrompt !== undefined && first?.role === 'system' && first.content !== systemPrompt;
}
