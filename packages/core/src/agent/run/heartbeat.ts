import { flush } from '../saving/save.ts';
import type { Saver } from '../saving/saver.ts';
import { advance, type RunContext } from './run-context.ts';

/**
 * While a run works and has nothing else to save, it saves its head every now and then: others see that it lives, and
 * it sees what others ask of it, and whether the thread is still its own. Returns what ends it.
 */
export function startHeartbeat(saver: Saver, run: RunContext): () => void {
  const { runtime, policy } = saver;
  const { hold, signal } = run;
  // A thread must not expire under a run that works on it.
  const everyMs = Math.min(policy.heartbeatMs, (hold.ttl.ttlMs ?? Number.POSITIVE_INFINITY) / 3);
  let cancel = () => {};
  const beat = (): void => {
    const quietFor = runtime.monotonic() - hold.savedAt;
    if (quietFor >= everyMs && !hold.stopped && !hold.volatile && !hold.saving) {
      // With the time that the step has taken so far: it counts also if the process dies in it.
      advance(run, (state) => state);
      // What it throws has stopped the hold, and with it the run.
      flush(saver, hold, signal).catch(() => {});
    }
    schedule(quietFor >= everyMs ? everyMs : everyMs - quietFor);
  };
  const schedule = (ms: number): void => {
    cancel = runtime.after(ms, beat, 'background');
  };
  schedule(everyMs);
  return () => cancel();
}
