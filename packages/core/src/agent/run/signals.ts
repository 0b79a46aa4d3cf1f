import { setMaxListeners } from 'node:events';
import { AgentStateError } from '../../protocol/errors.ts';
import type { AgentContext } from '../context.ts';
import { runAborted, runCancelled, runReleased } from '../failures.ts';
import type { Hold, Interrupt } from '../saving/hold.ts';

/** What ends the work of a run before its answer. */
export interface RunSignals {
  /**
   * Aborted by the caller, by a cancel, when the hold is stopped, when the agents are closed, or when the working time
   * of the run is spent, over crashes too.
   */
  readonly signal: AbortSignal;
  /** As `signal`, and by a pause: tools at work end, a model is not waited for. */
  readonly thinking: AbortSignal;
  readonly interrupt: (why: Interrupt) => void;
  /** From now on the working time counts. */
  readonly startClock: () => void;
  /** Listens to nothing any more. */
  readonly dispose: () => void;
}

export function runSignals(
  { limits, runtime }: Pick<AgentContext, 'limits' | 'runtime'>,
  hold: Hold,
  caller: AbortSignal | undefined,
): RunSignals {
  const { threadId } = hold;
  const end = new AbortController();
  const pause = new AbortController();
  const aborted = () => end.abort(runAborted(threadId));
  if (caller?.aborted) aborted();
  caller?.addEventListener('abort', aborted, { once: true });
  const signal = AbortSignal.any([hold.halt.signal, end.signal]);
  const thinking = AbortSignal.any([signal, pause.signal]);
  // Each tool at work listens; Node takes more than ten for a leak.
  setMaxListeners(0, signal, thinking);
  let stopClock = () => {};
  return {
    signal,
    thinking,
    interrupt(why) {
      if (why === 'pause') pause.abort();
      else end.abort(why === 'cancel' ? runCancelled(threadId) : runReleased(threadId));
    },
    startClock() {
      const seconds = limits.maxExecutionTimeSeconds;
      const left = seconds * 1_000 - (hold.state.run?.active_ms ?? 0);
      const spent = () => end.abort(timeSpent(threadId, seconds));
      if (left <= 0) spent();
      else stopClock = runtime.after(left, spent);
    },
    dispose() {
      stopClock();
      caller?.removeEventListener('abort', aborted);
    },
  };
}

function timeSpent(threadId: string, seconds: number): AgentStateError {
  const message = `The run has worked for ${seconds} s; it may take no longer.`;
  return new AgentStateError('max_execution_time', message, { threadId });
}
