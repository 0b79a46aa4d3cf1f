import { isDeepStrictEqual } from 'node:util';
import { AgentStateError } from '../protocol/errors.ts';
import { isMessage } from '../state/encode.ts';
import type { Message } from '../state/schema.ts';
import { withArgumentsTold } from './record/other-arguments.ts';
import { callsOf, paired, resultsByCall } from './record/pairs.ts';

/**
 * What of the history the model is shown: some of its messages, or others in their place, as a summary. It changes
 * nothing that is stored. A call is shown with its results or not at all, whatever the view leaves out. The first system
 * message of what is stored stands for the profile's prompt, which the model is shown in front, whatever the view did
 * with that message; what else the view puts in front follows the prompt.
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
 * the place of the stored one; a result of a call that a person gave other arguments says which. Nothing stored is
 * changed.
 */
export function modelView(
  history: readonly Message[],
  systemPrompt: string | undefined,
  view?: HistoryView,
): readonly Message[] {
  const whole = paired(history);
  const shown = withArgumentsTold(view ? unparted(whole, chosenBy(view, whole)) : whole);
  return systemPrompt === undefined ? shown : prompted(shown, whole[0], systemPrompt);
}

/** With the prompt in front. Only the stored opening stands for it, or the view's copy of that. */
function prompted(shown: readonly Message[], opening: Message | undefined, content: string): readonly Message[] {
  const at = opening?.role === 'system' ? shown.findIndex((message) => isDeepStrictEqual(message, opening)) : -1;
  if (at === 0 && opening?.content === content) return shown;
  const others = shown.filter((_, index) => index !== at);
  return [{ ...(at < 0 ? {} : opening), role: 'system', content }, ...others];
}

function chosenBy(view: HistoryView, whole: readonly Message[]): readonly Message[] {
  let chosen: unknown;
  try {
    chosen = view(whole);
  } catch (cause) {
    throw faultOfView('threw', cause);
  }
  if (!Array.isArray(chosen)) throw faultOfView('gave no array of messages');
  const fault = chosen.findIndex((message) => !isMessage(message));
  if (fault < 0) return chosen as readonly Message[];
  throw faultOfView(`gave an array whose element ${fault} is no message`);
}

function faultOfView(what: string, cause?: unknown): AgentStateError {
  return new AgentStateError('configuration', `The view of the history ${what}.`, { path: 'view', cause });
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
