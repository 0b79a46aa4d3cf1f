import type { AgentStateError } from '../../protocol/errors.ts';
import type { RunResult } from '../api.ts';
import type { AgentContext, Listen } from '../context.ts';
import { runCancelled, toFailure } from '../failures.ts';
import { outcomeOf } from '../record/run-state.ts';
import { released, stopped } from '../record/transitions.ts';
import { type Hold, isUnsaved } from '../saving/hold.ts';
import { flush } from '../saving/save.ts';
import { promptChanged } from '../view.ts';
import { beginInput, beginResume, type InputRequest, type ResumeRequest } from './begin.ts';
import { startHeartbeat } from './heartbeat.ts';
import { drive } from './loop.ts';
import { doneResult, pausedResult } from './outcome.ts';
import { advance, type RunContext } from './run-context.ts';
import type { RunSignals } from './signals.ts';

export async function runOn(context: AgentContext, request: InputRequest): Promise<RunResult> {
  const begun = await beginInput(context, request);
  if ('result' in begun) return begun.result;
  return work(context, begun.hold, begun.signals, request.listen, false);
}

export async function resumeOn(context: AgentContext, request: ResumeRequest): Promise<RunResult> {
  const begun = await beginResume(context, request);
  return 'result' in begun ? begun.result : work(context, begun.hold, begun.signals, request.listen, true);
}

/** The thread is claimed: drives the run to its end, and lets go of the thread. */
async function work(
  context: AgentContext,
  hold: Hold,
  signals: RunSignals,
  listen: Listen,
  resumed: boolean,
): Promise<RunResult> {
  const { threadId } = hold;
  const run = runContext(context, hold, signals, listen);
  const runId = hold.state.run?.id ?? '';
  const stopHeartbeat = context.saver ? startHeartbeat(context.saver, run) : () => {};
  run.emit({ type: 'run_started', threadId, runId, resumed });
  if (promptChanged(hold.state.history, context.systemPrompt)) run.emit({ type: 'prompt_changed', threadId });
  try {
    const result = resultOf(hold, await drive(run));
    run.emit({ type: 'run_ended', threadId, runId, code: result.status });
    return result;
  } catch (error) {
    await markStopped(run, hold.stopped ?? toFailure(threadId, error));
    const failure = hold.stopped ?? toFailure(threadId, error);
    run.emit({ type: 'run_ended', threadId, runId, code: failure.code });
    throw failure;
  } finally {
    stopHeartbeat();
    signals.dispose();
    context.hub.letGo(hold);
  }
}

function resultOf(hold: Hold, durable: boolean): RunResult {
  const { threadId, state } = hold;
  if (!state.run || state.run.phase === 'cancelled') throw runCancelled(threadId);
  if (state.run.phase === 'paused') return pausedResult(threadId, state, durable && !isUnsaved(hold));
  return doneResult(threadId, state, outcomeOf(state.run), durable);
}

/** W6: the run is marked and its owner let go of; the history stays as it is. One that is released is not marked. */
async function markStopped(run: RunContext, failure: AgentStateError): Promise<void> {
  const { hold } = run;
  if (hold.stopped || hold.state.run?.phase === 'cancelled') return;
  const phase = failure.code === 'aborted' ? 'cancelled' : 'failed';
  advance(run, (state) => (failure.code === 'closed' ? released(state) : stopped(state, phase, failure.code)));
  // What the caller hears is why the run failed. That the mark could not be stored has been said by the save itself.
  await run.save().catch(() => false);
}

function runContext(context: AgentContext, hold: Hold, signals: RunSignals, listen: Listen): RunContext {
  const { saver, runtime } = context;
  return {
    hold,
    model: context.model,
    tools: context.tools,
    variables: context.variables,
    systemPrompt: context.shownPrompt === 'current' ? context.systemPrompt : undefined,
    view: context.view,
    limits: context.limits,
    runtime,
    signal: signals.signal,
    thinking: signals.thinking,
    emit(event) {
      context.emit(event);
      listen?.(event);
    },
    onText: listen ? (text) => listen({ type: 'text', text }) : undefined,
    stores: saver !== undefined,
    save: saver ? () => flush(saver, hold, signals.signal) : async () => false,
    asked: new Set(),
    countedAt: runtime.monotonic(),
  };
}
