import type { Runtime } from '@agent-state/core';
import { timedOut } from './failures.ts';

/** The time that one attempt has. */
export interface Limit {
  /** Aborted when the time is over, or when the caller's signal is. */
  readonly signal: AbortSignal;
  /** Something came: the idle time starts again. */
  touch(): void;
  end(): void;
  /** `call`, or the reason of `signal` as soon as that is aborted: not every fetch heeds its signal. */
  within<T>(call: Promise<T>): Promise<T>;
}

export function startLimit(runtime: Runtime, caller: AbortSignal, timeoutMs: number, idleTimeoutMs: number): Limit {
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // Nobody may be waiting when it happens.
  aborted.catch(() => {});

  const onCaller = () => controller.abort(caller.reason);
  caller.addEventListener('abort', onCaller, { once: true });
  const cancelWhole = runtime.after(timeoutMs, () => {
    controller.abort(timedOut(`did not answer within ${timeoutMs} ms`));
  });
  let cancelIdle = () => {};

  return {
    signal,
    touch() {
      cancelIdle();
      cancelIdle = runtime.after(idleTimeoutMs, () => {
        controller.abort(timedOut(`sent nothing for ${idleTimeoutMs} ms`));
      });
    },
    end() {
      cancelWhole();
      cancelIdle();
      caller.removeEventListener('abort', onCaller);
    },
    within: (call) => Promise.race([call, aborted]),
  };
}
