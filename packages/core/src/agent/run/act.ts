import { maxVariablesBytes } from '../../protocol/capabilities.ts';
import type { JsonObject } from '../../state/json.ts';
import type { OpenCall } from '../../state/schema.ts';
import { isWaiting, mayHaveStarted } from '../record/call-state.ts';
import { failedResult, rejectedResult, resultWithoutRunning } from '../record/results.ts';
import { acted, type CallOutcome, paused, variablesAfter, withResult } from '../record/transitions.ts';
import { check } from '../standard-schema.ts';
import { outcomeOfCall } from './call.ts';
import { advance, isInterrupted, noteStep, type RunContext } from './run-context.ts';
import { untilAborted } from './until-aborted.ts';

/** One Act: run the calls that are ready, each result saved (W3); with the last one, make messages of them (W4). */
export async function act(run: RunContext, calls: readonly OpenCall[]): Promise<void> {
  const waiting = [...calls];
  const workers = Array.from({ length: Math.min(run.limits.toolConcurrency, calls.length) }, async () => {
    for (let call = waiting.shift(); call && !isInterrupted(run); call = waiting.shift()) await finish(run, call);
  });
  const outcomes = await Promise.allSettled(workers);
  run.signal.throwIfAborted();
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  if (allSettled(run)) await complete(run);
}

const unapproved = 'a new input came before anybody approved it.';

/** After a failed or cancelled run nothing is run: what has no result is answered with what is known of it. */
export async function settle(run: RunContext, calls: readonly OpenCall[]): Promise<void> {
  const rejects = run.hold.state.run?.settle === 'reject';
  for (const call of calls) {
    const refused = rejects && isWaiting(call) && !mayHaveStarted(call);
    const outcome = refused ? rejectedResult(call, unapproved) : resultWithoutRunning(call);
    advance(run, (state) => withResult(state, call.key, outcome));
  }
  await complete(run);
}

/** W5: the calls that are left wait for a person. */
export async function askPerson(run: RunContext): Promise<void> {
  advance(run, (state) => paused(state, { kind: 'person' }));
  await run.save();
  // A decision has met it: the pause may be stored, without an owner, and nothing is begun by nobody.
  if (!isInterrupted(run)) await run.save();
}

function allSettled({ hold }: RunContext): boolean {
  return hold.state.run?.calls.every(({ result }) => result) ?? false;
}

/** The last result of a turn is not saved by itself: it rides with the messages. */
async function finish(run: RunContext, call: OpenCall): Promise<void> {
  const { hold, emit } = run;
  const about = { threadId: hold.threadId, tool: call.tool, callId: call.id };
  let begun = false;
  let status: CallOutcome['status'] | 'aborted' = 'aborted';
  const started = () => {
    begun = true;
    emit({ type: 'tool_started', ...about, attempt: call.attempt });
  };
  try {
    const outcome = await outcomeOfCall(run, call, started);
    if (outcome) status = (await record(run, call, outcome)).status;
  } finally {
    if (begun) emit({ type: 'tool_finished', ...about, status });
  }
  if (!allSettled(run)) await run.save();
}

/** Judged by the state that it goes into: calls that end at the same moment see each other's variables. */
async function record(run: RunContext, call: OpenCall, outcome: CallOutcome): Promise<CallOutcome> {
  for (;;) {
    const { state } = run.hold;
    const checked = await checkedVariables(run, call, outcome);
    if (run.hold.state !== state) continue;
    advance(run, (state) => withResult(state, call.key, checked));
    return checked;
  }
}

/** Variables that the thread's schema refuses, or that are too many, make a failed result of the call that set them. */
async function checkedVariables(run: RunContext, call: OpenCall, outcome: CallOutcome): Promise<CallOutcome> {
  if (outcome.status === 'failed' || !outcome.variables) return outcome;
  const settled = withResult(run.hold.state, call.key, outcome);
  const variables = variablesAfter(settled.variables, settled.run?.calls ?? []);
  const tooMany = excessOf(variables, settled.run?.calls ?? [], run.limits.maxMessageBytes);
  if (tooMany !== undefined) return failedResult(call, tooMany);
  const schema = run.variables;
  const checked = schema ? await untilAborted(run.signal, () => check(schema, variables)) : undefined;
  return checked && 'fault' in checked ? failedResult(call, `the variables were refused: ${checked.fault}`) : outcome;
}

/** What the head of a turn has besides the variables that its calls change. */
const headBytes = 65_536;

/** Until the turn is settled the changes of all its calls lie in the head, which may have no more than a message has. */
function excessOf(variables: JsonObject, calls: readonly OpenCall[], maxMessageBytes: number): string | undefined {
  const merged = bytesOf(variables);
  if (merged > maxVariablesBytes) return `the variables would have ${merged} bytes; ${maxVariablesBytes} are allowed.`;
  const changed = bytesOf(calls.map((open) => open.variables ?? {}));
  const allowed = Math.max(maxMessageBytes - headBytes, maxMessageBytes / 2);
  if (changed > allowed) return `the variables of this turn would have ${changed} bytes; ${allowed} are allowed.`;
  return undefined;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** W4. */
async function complete(run: RunContext): Promise<void> {
  const { hold } = run;
  const before = hold.state.variables;
  advance(run, acted);
  const { variables } = hold.state;
  noteStep(run, 'act', variables === before ? {} : { variables });
  run.emit({ type: 'acted', threadId: hold.threadId, step: hold.state.current_step });
  await run.save();
}
