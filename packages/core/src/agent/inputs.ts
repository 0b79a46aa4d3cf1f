import type { Message, PreviousRun, RunRecord } from '../state/schema.ts';
import { outcomeOf } from './claims.ts';

const generated = '~';

/** The id of an input that its caller did not name: nobody can send it again. */
export function generatedInputId(id: string): string {
  return `${generated}${id}`;
}

export function isGenerated(inputId: string): boolean {
  return inputId.startsWith(generated);
}

/** What became of inputs, by their ids, as the messages that followed them and the record tell it. */
export function toldBy(history: readonly Message[], run: RunRecord | undefined): Map<string, PreviousRun> {
  const told = history.flatMap(({ metadata }) => metadata?.previous_run ?? []);
  return new Map([...told, ...(run ? [outcomeOf(run)] : [])].map((outcome) => [outcome.input_id, outcome]));
}

/** The inputs of a history, each with the last message of its turn. */
export function turnsOf(history: readonly Message[]): Map<string, Message | undefined> {
  const turns = new Map<string, Message | undefined>();
  let input: string | undefined;
  for (const message of history) {
    if (message.metadata?.input_id !== undefined) input = message.metadata.input_id;
    if (input !== undefined) turns.set(input, message.metadata?.input_id === undefined ? message : undefined);
  }
  return turns;
}
