import { toHistory } from '../state/encode.ts';
import type { Message, PreviousRun, RunRecord, ThreadState } from '../state/schema.ts';
import { outcomeOf } from './run-state.ts';
import { withMetadata } from './transitions.ts';

/**
 * What a thread knows of the inputs that it accepted. Each is a message; what became of it is told by the input that
 * followed, or, once that is gone from the history or rewritten, with the first message.
 */

const generated = '~';

/** The id of an input that its caller did not name: nobody can send it again. */
export function generatedInputId(id: string): string {
  return `${generated}${id}`;
}

export function isGenerated(inputId: string): boolean {
  return inputId.startsWith(generated);
}

/** Whether the input was accepted before. */
export function isKnown(state: ThreadState, inputId: string): boolean {
  const inHistory = inputsOf(state).some(({ metadata }) => metadata?.input_id === inputId);
  return inHistory || earlierInput(state, inputId) !== undefined;
}

/** What became of the run of an input that others followed. */
export function earlierRun(state: ThreadState, inputId: string): PreviousRun {
  const next = inputsOf(state).findLast(({ metadata }) => metadata?.previous_run?.input_id === inputId);
  const run = next?.metadata?.previous_run ?? earlierInput(state, inputId);
  return run ?? { input_id: inputId, run_id: '', outcome: 'superseded' };
}

/** What the first message tells of an input. */
export function earlierInput({ history }: ThreadState, inputId: string): PreviousRun | undefined {
  return history[0]?.metadata?.earlier_inputs?.findLast(({ input_id }) => input_id === inputId);
}

/** So many inputs that the history does not tell of any more stay known; they lie in one message. */
const maxEarlierInputs = 1_000;

/** The history with what became of those runs' inputs told by its first message. */
export function withEarlierInputs(history: readonly Message[], runs: readonly PreviousRun[]): readonly Message[] {
  const [first, ...rest] = history;
  const named = runs.filter(({ input_id }) => !isGenerated(input_id));
  if (!first || named.length === 0) return history;
  const earlier_inputs = lastOfEach([...(first.metadata?.earlier_inputs ?? []), ...named]).slice(-maxEarlierInputs);
  return toHistory([withMetadata(first, { earlier_inputs }), ...rest]);
}

function lastOfEach(runs: readonly PreviousRun[]): readonly PreviousRun[] {
  const byId = new Map<string, PreviousRun>();
  for (const run of runs) {
    // A key that is there already would keep its place.
    byId.delete(run.input_id);
    byId.set(run.input_id, run);
  }
  return [...byId.values()];
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

/** The inputs in the history, and those that wait for open calls. */
function inputsOf({ history, run }: ThreadState): Message[] {
  return [...history, ...(run?.pending_inputs ?? [])].filter(({ metadata }) => metadata?.input_id !== undefined);
}
