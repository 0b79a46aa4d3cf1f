import { type Hold, update } from './hold.ts';
import { flush } from './save.ts';
import type { Saver } from './saver.ts';

/**
 * While a run works and has nothing else to save, it saves its head every now and then: others see that it lives, and
 * it sees what others ask of it, and whether the thread is still its own. Returns what ends it.
 */
export function startHeartbeat(saver: Saver, hold: Hold): () => void {
  const { runtime, policy } = saver;
  let cancel = () => {};
  const beat = (): void => {
    const quietFor = runtime.monotonic() - hold.savedAt;
    if (quietFor >= policy.heartbeatMs && !hold.stopped && !hold.volatile && !hold.saving) {
      update(hold, (state) => state);
      // What it throws has stopped the hold, and with it the run.
      flush(saver, hold, hold.halt.signal).catch(() => {});
    }
    schedule(quietFor >= policy.heartbeatMs ? policy.heartbeatMs : policy.heartbeatMs - quietFor);
  };
  const schedule = (ms: number): void => {
    cancel = runtime.after(ms, beat, 'background');
  };
  schedule(policy.heartbeatMs);
  return () => cancel();
}
