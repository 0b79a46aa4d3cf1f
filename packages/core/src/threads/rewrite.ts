import { isDeepStrictEqual } from 'node:util';
import { noThread } from '../agent/failures.ts';
import {
  earlierInputs,
  isGenerated,
  isThere,
  outcomesOf,
  superseded,
  toldByFollowers,
  withEarlierInputs,
} from '../agent/record/inputs.ts';
import { paired } from '../agent/record/pairs.ts';
import { firstVariables } from '../agent/record/step-record.ts';
import { turnsOf } from '../agent/record/turns.ts';
import type { Checkpoint, CheckpointWrite } from '../protocol/checkpointer.ts';
import { AgentStateError, isAgentStateError } from '../protocol/errors.ts';
import { toHistory } from '../state/encode.ts';
import type { Message, PreviousRun, RunRecord, ThreadState } from '../state/schema.ts';
import { type Asking, hasLanded, requestsWith } from './ask.ts';
import { type Budget, withinBudget } from './budget.ts';

/**
 * Makes a history of the one that is there; called again where the thread has moved meanwhile. A system message in front
 * stands for the profile's prompt, and the model is shown that in its place: a summary goes behind it, or is another
 * role's.
 */
export type HistoryChange = (history: readonly Message[]) => readonly Message[] | PromiseLike<readonly Message[]>;

/**
 * Replaces the history, on the condition that it is still the one that `change` saw, and begins a new generation. A step
 * record says so. An owner at work loses the thread; inputs that are gone from the history stay known.
 */
export async function rewrite(
  asking: Asking,
  threadId: string,
  change: HistoryChange,
  reason: string | undefined,
): Promise<void> {
  const tries: Tries = { mine: new Set(), made: undefined, unsure: undefined };
  const isMade = await withinBudget(asking, (budget) => attempt(asking, budget, { threadId, change, reason }, tries));
  if (isMade) return;
  const message = 'It is not known whether the history was replaced: somebody has written meanwhile.';
  throw new AgentStateError('unavailable', message, { threadId, applied: 'maybe' });
}

interface Wanted {
  readonly threadId: string;
  readonly change: HistoryChange;
  readonly reason: string | undefined;
}

/** What the attempts so far have left. */
interface Tries {
  /** The ids of their writes, whatever became of them. */
  readonly mine: Set<string>;
  /** To make it may cost a call of a model: what was made for a record serves for another attempt on that. */
  made: { readonly of: string; readonly history: readonly Message[] } | undefined;
  /** The record that a write was built on of which it is not known whether it landed. */
  unsure: Checkpoint | undefined;
}

/** Whether the history is replaced; false where that cannot be told, for to make it again might be a second time. */
async function attempt(
  { port, runtime }: Asking,
  { left, uncounted }: Budget,
  { threadId, change, reason }: Wanted,
  tries: Tries,
): Promise<boolean> {
  const found = await port.load(threadId, left());
  if (!found.found) throw noThread(threadId);
  if (hasLanded(found, tries.mine)) return true;
  if (tries.unsure && !tellsOf(found, tries.unsure)) return false;
  if (tries.made?.of !== found.etag) {
    tries.made = { of: found.etag, history: historyOf(await uncounted(async () => change(found.state.history))) };
  }
  const writeId = runtime.id();
  tries.mine.add(writeId);
  const about = { at: new Date(runtime.now()).toISOString(), reason };
  const write = rewriteOf(found, tries.made.history, writeId, about);
  try {
    await port.save(threadId, write, left());
  } catch (error) {
    if (isAgentStateError(error, 'unavailable') && error.applied === 'maybe') tries.unsure = found;
    throw error;
  }
  return true;
}

/** Whether a write on `base` would be known by now: runs carry the ids of requests on, and nothing else does. */
function tellsOf(found: Checkpoint, base: Checkpoint): boolean {
  return found.etag === base.etag || (found.state.run !== undefined && base.state.run !== undefined);
}

function rewriteOf(
  found: Checkpoint,
  replacement: readonly Message[],
  writeId: string,
  { at, reason }: { readonly at: string; readonly reason: string | undefined },
): CheckpointWrite {
  const { state } = found;
  assertWhole(state, replacement);
  const carried = earlierInputs(state);
  const runs = [...carried, ...untoldBy(replacement, state)].filter(({ input_id }) => !isGenerated(input_id));
  if (runs.length > 0 && replacement.length === 0) throw invalid('has to have a message');
  const history = withEarlierInputs(replacement, runs);
  const step = {
    step: state.current_step,
    phase: 'rewrite' as const,
    at,
    run_id: state.run?.id ?? '',
    history_length: history.length,
    ...firstVariables(found.steps, state.variables),
    ...(reason === undefined ? {} : { reason }),
  };
  const owned = state.run ? { run: claimed(state.run, writeId) } : {};
  return {
    writeId,
    base: found,
    state: { ...state, ...owned, history, updated_at: at },
    appendedFrom: 0,
    variablesChanged: false,
    steps: [step],
  };
}

function historyOf(given: unknown): readonly Message[] {
  if (!Array.isArray(given)) throw invalid('has to be an array of messages');
  return toHistory(given);
}

/** To the owner, a take-over by nobody. */
function claimed(run: RunRecord, writeId: string): RunRecord {
  const requests = requestsWith(run, writeId);
  return { ...run, claim: writeId, owner: null, owner_write: writeId, epoch: run.epoch + 1, requests };
}

const isWhole = (history: readonly Message[]): boolean => paired(history) === history;

/** A call is never parted from its results, and open calls stay the last thing that was said. */
function assertWhole({ history: before, run }: ThreadState, history: readonly Message[]): void {
  const open = (run?.calls.length ?? 0) > 0;
  if (open && !isDeepStrictEqual(history.at(-1), before.at(-1))) {
    throw invalid('has to end with the message whose calls are open');
  }
  const settled = open ? history.slice(0, -1) : history;
  const wasWhole = isWhole(open ? before.slice(0, -1) : before);
  if (wasWhole && !isWhole(settled)) throw invalid('parts a call from its result, or a result from its call');
}

/**
 * What became of inputs that the new history does not tell of as the old one did: of those that are gone, of those whose
 * follower told it and is gone, and of those whose answer is gone or changed.
 */
function untoldBy(history: readonly Message[], { history: before, run }: ThreadState): PreviousRun[] {
  const said = { history: before, run };
  const now = { history, run };
  const turns = turnsOf(now);
  const outcomes = outcomesOf(said);
  // The next input will tell of the record's run.
  const told = new Set([...toldByFollowers(now), ...(run ? [run] : [])].map(({ input_id }) => input_id));
  return [...turnsOf(said)].flatMap(([id, turn]): PreviousRun[] => {
    const became = outcomes.get(id) ?? superseded(id);
    const isLost = became.outcome === 'done' && !isDeepStrictEqual(turn.at(-1), turns.get(id)?.at(-1));
    if (isLost) return [{ ...became, answer: 'gone' }];
    return told.has(id) && isThere(now, id) ? [] : [became];
  });
}

function invalid(what: string): AgentStateError {
  return new AgentStateError('invalid_argument', `The new history ${what}; nothing was written.`, { path: 'history' });
}
