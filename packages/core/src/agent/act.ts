import { maxVariablesBytes } from '../protocol/capabilities.ts';
import type { OpenCall, ThreadState, ToolCall } from '../state/schema.ts';
import { callTool } from './call-tool.ts';
import { failedResult, notRunResult, unknownResult } from './results.ts';
import { advance, noteStep, type RunContext } from './run-context.ts';
import { check } from './standard-schema.ts';
import { acted, type CallOutcome, mayHaveStarted, variablesAfter, withResult } from './transitions.ts';
import { untilAborted } from './until-aborted.ts';

/** One Act: run the calls that have no result, each result saved (W3), then make messages of them (W4). */
export async function act(run: RunContext, calls: readonly OpenCall[]): Promise<boolean> {
  const waiting = [...calls];
  const workers = Array.from({ length: Math.min(run.limits.toolConcurrency, calls.length) }, async () => {
    for (let call = waiting.shift(); call; call = waiting.shift()) await finish(run, call);
  });
  const outcomes = await Promise.allSettled(workers);
  run.signal.throwIfAborted();
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return complete(run);
}

/** After a failed or cancelled run nothing is run: what has no result is answered with what is known of it. */
export async function settle(run: RunContext, calls: readonly OpenCall[]): Promise<boolean> {
  for (const call of calls) {
    advance(run, (state) =>
      withResult(state, call.key, mayHaveStarted(call) ? unknownResult(call) : notRunResult(call)),
    );
  }
  return complete(run);
}

/** The last result of a turn is not saved by itself: it rides with the messages. */
async function finish(run: RunContext, call: OpenCall): Promise<void> {
  const { hold, emit } = run;
  const about = { threadId: hold.threadId, tool: call.tool, callId: call.id };
  emit({ type: 'tool_started', ...about, attempt: call.attempt });
  const outcome = await record(run, call, await outcomeOf(run, call));
  emit({ type: 'tool_finished', ...about, status: outcome.status });
  if (hold.state.run?.calls.some(({ result }) => !result)) await run.save();
}

/** Judged by the state that it goes into: calls that end at the same moment see each other's variables. */
async function record(run: RunContext, call: OpenCall, outcome: CallOutcome): Promise<CallOutcome> {
  for (;;) {
    const { version } = run.hold;
    const checked = await checkedVariables(run, call, outcome);
    if (run.hold.version !== version) continue;
    advance(run, (state) => withResult(state, call.key, checked));
    return checked;
  }
}

function outcomeOf(run: RunContext, call: OpenCall): Promise<CallOutcome> | CallOutcome {
  const { hold, limits, signal, runtime, tools } = run;
  if (call.attempt >= limits.maxAttempts) {
    return failedResult(call, `Given up: the process has died ${call.attempt} times while this call ran.`);
  }
  const args = argumentsOf(hold.state, call);
  if (args === undefined) return failedResult(call, 'The history does not end with this call any more.');
  return callTool({
    threadId: hold.threadId,
    call,
    args,
    tool: tools.get(call.tool),
    variables: hold.state.variables,
    signal,
    maxMessageBytes: limits.maxMessageBytes,
    runtime,
  });
}

/** The text that the model sent, from the assistant message that is the last one while its calls are open. */
function argumentsOf({ history, run }: ThreadState, call: OpenCall): string | undefined {
  const planned: readonly ToolCall[] = history.at(-1)?.metadata?.tool_calls ?? [];
  const made = planned[run?.calls.findIndex(({ key }) => key === call.key) ?? -1];
  return made?.id === call.id && made.function.name === call.tool ? made.function.arguments : undefined;
}

/** Variables that the thread's schema refuses, or that are too many, make a failed result of the call that set them. */
async function checkedVariables(run: RunContext, call: OpenCall, outcome: CallOutcome): Promise<CallOutcome> {
  if (outcome.status === 'failed' || !outcome.variables) return outcome;
  const settled = withResult(run.hold.state, call.key, outcome);
  const variables = variablesAfter(settled.variables, settled.run?.calls ?? []);
  const bytes = Buffer.byteLength(JSON.stringify(variables));
  if (bytes > maxVariablesBytes) {
    return failedResult(call, `the variables would have ${bytes} bytes; ${maxVariablesBytes} are allowed.`);
  }
  const schema = run.variables;
  const checked = schema ? await untilAborted(run.signal, () => check(schema, variables)) : undefined;
  return checked && 'fault' in checked ? failedResult(call, `the variables were refused: ${checked.fault}`) : outcome;
}

/** W4. */
async function complete(run: RunContext): Promise<boolean> {
  const { hold } = run;
  const before = hold.state.variables;
  advance(run, acted);
  const { variables } = hold.state;
  noteStep(run, 'act', variables === before ? {} : { variables });
  run.emit({ type: 'acted', threadId: hold.threadId, step: hold.state.current_step });
  return run.save();
}
