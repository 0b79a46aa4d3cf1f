import type { Message } from '../../state/schema.ts';
import { inputsOf, type Said } from './inputs.ts';

/**
 * The turn of each input: what was said after it, up to the next one. Where an input's own message is gone from the
 * history, its turn ends right before the input that tells of it; that of the record's run is the last one. Whether
 * what is there is still what was said is for who replaced the history to tell.
 */
export function turnsOf({ history, run }: Said): ReadonlyMap<string, readonly Message[]> {
  const turns = new Map<string, readonly Message[]>();
  const there = new Set(inputsOf({ history, run }).map(({ metadata }) => metadata?.input_id));
  let begun: string | undefined;
  let turn: Message[] = [];
  const end = (told: string | undefined) => {
    if (begun !== undefined) turns.set(begun, turn);
    if (told !== undefined && !there.has(told)) turns.set(told, turn);
  };
  for (const message of [...history, ...(run?.pending_inputs ?? [])]) {
    const { input_id, previous_run } = message.metadata ?? {};
    if (input_id === undefined) {
      turn.push(message);
      continue;
    }
    end(previous_run?.input_id);
    begun = input_id;
    turn = [];
  }
  end(run?.input_id);
  return turns;
}
