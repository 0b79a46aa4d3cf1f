import type { OpenCall, ThreadState, ToolCall } from '../../state/schema.ts';
import { decidedResult, failedResult, notRunResult, unknownResult } from '../record/results.ts';
import { askedForApproval, askedForOutcome, type CallOutcome, withStatus } from '../record/transitions.ts';
import { needsApproval } from './approval.ts';
import { callTool, callToolInTime, reconcileCall, type ToolCallRequest } from './call-tool.ts';
import { advance, isInterrupted, type RunContext } from './run-context.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * What becomes of one open call: what a person said of it, what is known of it, or what its tool gives. Nothing where it
 * is not to run now: somebody has to be asked, or the run was interrupted first.
 */
export async function outcomeOfCall(
  run: RunContext,
  call: OpenCall,
  started: () => void,
): Promise<CallOutcome | undefined> {
  const decided = decidedResult(call);
  if (decided) return decided;
  if (call.attempt >= run.limits.maxAttempts) {
    return failedResult(call, `Given up: the process of this call died, or was taken over, ${call.attempt} times.`);
  }
  const request = requestOf(run, call);
  if (!request) return failedResult(call, 'The history does not end with this call any more.');
  const once = isOnce(request);
  if (once && (call.status === 'started' || call.attempt > 0)) return whatIsKnown(run, request);
  if (await isUnapproved(run, request)) {
    advance(run, (state) => askedForApproval(state, call.key));
    return undefined;
  }
  if (once) return runOnce(run, request, started);
  started();
  return callTool(request);
}

/** Of what the call was planned with and what the tool says now, the stricter holds. */
function isOnce({ call, tool }: ToolCallRequest): boolean {
  return call.effect === 'once' || tool?.effect === 'once';
}

/** Whoever planned it asked its own tool, which may have needed no approval then, or have been unknown there. */
async function isUnapproved({ asked, signal }: RunContext, { call, tool, args }: ToolCallRequest): Promise<boolean> {
  if (call.waits_for !== undefined || asked.has(call.key)) return false;
  asked.add(call.key);
  return untilAborted(signal, () => needsApproval(tool, args));
}

/** W2: the intent is acknowledged before the tool starts. */
async function runOnce(
  run: RunContext,
  request: ToolCallRequest,
  started: () => void,
): Promise<CallOutcome | undefined> {
  const { call } = request;
  advance(run, (state) => withStatus(state, call.key, 'started'));
  const acknowledged = !run.stores || (await run.save());
  run.signal.throwIfAborted();
  if (acknowledged && !isInterrupted(run)) {
    started();
    return (await callToolInTime(request)) ?? whatIsKnown(run, request);
  }
  advance(run, (state) => withStatus(state, call.key, 'planned'));
  if (isInterrupted(run)) return undefined;
  return notRunResult(call, 'the store is unavailable, and this tool may only start when it is not');
}

/** The process died while the call ran, or its time is over: what the tool finds out, else what nobody knows. */
async function whatIsKnown(run: RunContext, request: ToolCallRequest): Promise<CallOutcome | undefined> {
  const { call, tool } = request;
  const known = await reconcileCall(request);
  if (known) return known;
  if (tool?.onUnknown !== 'pause') return unknownResult(call);
  advance(run, (state) => askedForOutcome(state, call.key));
  return undefined;
}

function requestOf(run: RunContext, call: OpenCall): ToolCallRequest | undefined {
  const { hold, limits, signal, runtime, tools } = run;
  const args = argumentsOf(hold.state, call);
  if (args === undefined) return undefined;
  return {
    threadId: hold.threadId,
    call,
    args,
    tool: tools.get(call.tool),
    variables: hold.state.variables,
    signal,
    maxMessageBytes: limits.maxMessageBytes,
    runtime,
  };
}

/**
 * The arguments that a person proposed, or the text that the model sent: from the assistant message that is the last one
 * while its calls are open.
 */
function argumentsOf({ history, run }: ThreadState, call: OpenCall): string | undefined {
  const planned: readonly ToolCall[] = history.at(-1)?.metadata?.tool_calls ?? [];
  const made = planned[run?.calls.findIndex(({ key }) => key === call.key) ?? -1];
  if (made?.id !== call.id || made.function.name !== call.tool) return undefined;
  return call.arguments ?? made.function.arguments;
}
