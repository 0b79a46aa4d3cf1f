import { setMaxListeners } from 'node:events';
import { AgentStateError } from '../protocol/errors.ts';
import { act, settle } from './act.ts';
import { nextStep } from './next-step.ts';
import { runAborted } from './outcome.ts';
import type { RunContext } from './run-context.ts';
import { think } from './think.ts';

/** Think, act, think … until the run has ended. Whether the store acknowledged its last step. */
export async function drive(run: RunContext): Promise<boolean> {
  for (let durable = false; ; ) {
    const next = nextStep(run.hold.state);
    // First: what comes while the answer is saved comes too late.
    if (next.kind === 'end') return durable;
    run.signal.throwIfAborted();
    if (next.kind === 'think') durable = await think(run);
    else if (next.kind === 'act') durable = await act(run, next.calls);
    else durable = await settle(run, next.calls);
  }
}

/**
 * The signal of a run: aborted by the caller, when the hold is stopped, or when the working time of the run is spent,
 * over crashes too. `release` ends the timer.
 */
export function runSignal(
  run: Pick<RunContext, 'hold' | 'limits' | 'runtime'>,
  caller: AbortSignal | undefined,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const { hold, limits, runtime } = run;
  const limit = new AbortController();
  const left = limits.maxExecutionTimeSeconds * 1_000 - (hold.state.run?.active_ms ?? 0);
  const spent = () => limit.abort(timeSpent(hold.threadId, limits.maxExecutionTimeSeconds));
  if (left <= 0) spent();
  const cancelTimer = left <= 0 ? () => {} : runtime.after(left, spent);
  const aborted = () => limit.abort(runAborted(hold.threadId));
  if (caller?.aborted) aborted();
  caller?.addEventListener('abort', aborted, { once: true });
  const signal = AbortSignal.any([hold.halt.signal, limit.signal]);
  // Each tool at work listens; Node takes more than ten for a leak.
  setMaxListeners(0, signal);
  return {
    signal,
    release() {
      cancelTimer();
      caller?.removeEventListener('abort', aborted);
    },
  };
}

function timeSpent(threadId: string, seconds: number): AgentStateError {
  return new AgentStateError('max_execution_time', `The run has worked for ${seconds} s; it may take no longer.`, {
    threadId,
  });
}
