import { Buffer } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import { maxThreadIdBytes } from '../../protocol/ids.ts';
import { appendTo } from '../../state/encode.ts';
import type { Message, OpenCall, ThreadState } from '../../state/schema.ts';
import { earlierRun, outcomesOf, toldByFollowers, withEarlierInputs } from './inputs.ts';
import type { PastState } from './past-state.ts';
import { notRunResult, resultWithoutRunning } from './results.ts';
import { variablesAfter } from './transitions.ts';
import { turnsOf } from './turns.ts';

/**
 * A thread that goes on from another's history, with no run and no open calls: results that are there stay, of calls
 * that may have started it says that their outcome is unknown, of the others that they did not run in this fork.
 */
export function forkOf({ run, ...state }: ThreadState): ThreadState {
  const calls = run?.calls ?? [];
  const results = run ? calls.map(resultInFork) : notRunInFork(state.history.at(-1));
  const said = { history: state.history, run };
  const history = run ? withEarlierInputs(state.history, [earlierRun(said, run.input_id)]) : state.history;
  return Object.freeze({
    ...state,
    variables: variablesAfter(state.variables, calls),
    history: appendTo(history, [...results, ...(run?.pending_inputs ?? [])]),
  });
}

/** The same of a thread as it was after an earlier step; inputs that are in it keep what became of them. */
export function forkAt(now: ThreadState, past: PastState): ThreadState {
  const { run: _run, ...state } = now;
  const outcomes = outcomesOf(now);
  const toldStill = new Set(toldByFollowers(past).map(({ input_id }) => input_id));
  const turns = turnsOf(now);
  const carried = [...turnsOf(past)].flatMap(([id, turn]) => {
    const run = outcomes.get(id);
    if (!run || toldStill.has(id)) return [];
    return run.outcome === 'done' && !isDeepStrictEqual(turn.at(-1), turns.get(id)?.at(-1)) ? [] : [run];
  });
  return forkOf({ ...state, ...past, history: withEarlierInputs(past.history, carried) });
}

const notHere = 'not in this fork';

function resultInFork(call: OpenCall): Message {
  return call.result ?? resultWithoutRunning(call, notHere).result;
}

/** Of the calls of a last message that no run answers any more. */
function notRunInFork(last: Message | undefined): Message[] {
  const calls = last?.metadata?.tool_calls ?? [];
  return calls.map(({ id, function: { name } }) => notRunResult({ id, tool: name }, notHere).result);
}

/** `<thread id>~<new id>`; of a thread id that is too long for that, its beginning. */
export function forkId(threadId: string, id: string): string {
  const room = maxThreadIdBytes - Buffer.byteLength(id) - 1;
  let start = threadId;
  while (Buffer.byteLength(start) > room) start = start.slice(0, -1).toWellFormed();
  return `${start}~${id}`;
}
