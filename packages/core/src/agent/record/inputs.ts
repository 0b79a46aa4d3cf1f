import { toHistory } from '../../state/encode.ts';
import type { Message, PreviousRun, RunRecord } from '../../state/schema.ts';
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

/** What a thread says of its inputs. */
export interface Said {
  readonly history: readonly Message[];
  readonly run?: RunRecord | undefined;
}

/** The inputs in the history, and those that wait for open calls. */
export function inputsOf({ history, run }: Said): Message[] {
  return [...history, ...(run?.pending_inputs ?? [])].filter(({ metadata }) => metadata?.input_id !== undefined);
}

/** Whether the message of the input is there. */
export function isThere(said: Said, inputId: string): boolean {
  return inputsOf(said).some(({ metadata }) => metadata?.input_id === inputId);
}

/** Whether the input was accepted before. */
export function isKnown(said: Said, inputId: string): boolean {
  return isThere(said, inputId) || outcomesOf(said).has(inputId);
}

/** What became of the run of an input that others followed. */
export function earlierRun(said: Said, inputId: string): PreviousRun {
  return outcomesOf(said).get(inputId) ?? superseded(inputId);
}

/** What became of an input that nothing tells of. */
export function superseded(inputId: string): PreviousRun {
  return { input_id: inputId, run_id: '', outcome: 'superseded' };
}

/** What became of inputs, by their ids: as the record or the input that followed tells it, else the first message. */
export function outcomesOf(said: Said): ReadonlyMap<string, PreviousRun> {
  const outcomes = new Map<string, PreviousRun>();
  const ofRun = said.run ? [outcomeOf(said.run)] : [];
  for (const told of [...earlierInputs(said), ...toldByFollowers(said), ...ofRun]) {
    // Who followed an input knows nothing of a later rewrite.
    const isGone = outcomes.get(told.input_id)?.answer === 'gone';
    outcomes.set(told.input_id, isGone ? { ...told, answer: 'gone' } : told);
  }
  return outcomes;
}

/** What each input tells of the one before it. */
export function toldByFollowers(said: Said): PreviousRun[] {
  return inputsOf(said).flatMap(({ metadata }) => metadata?.previous_run ?? []);
}

/** What the first message tells. */
export function earlierInputs({ history }: Said): readonly PreviousRun[] {
  return history[0]?.metadata?.earlier_inputs ?? [];
}

/** So many inputs that the history does not tell of any more stay known; they lie in one message. */
const maxEarlierInputs = 1_000;

/** The history with what became of those runs' inputs told by its first message. */
export function withEarlierInputs(history: readonly Message[], runs: readonly PreviousRun[]): readonly Message[] {
  const [first, ...rest] = history;
  const named = runs.filter(({ input_id }) => !isGenerated(input_id));
  if (!first || named.length === 0) return history;
  const earlier_inputs = lastOfEach([...earlierInputs({ history }), ...named]).slice(-maxEarlierInputs);
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
