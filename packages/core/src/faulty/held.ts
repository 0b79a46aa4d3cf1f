import type { Runtime } from '../protocol/runtime.ts';

/** Calls that are done later than their callers believe. */
export interface Held {
  /** Until `land`, or by itself after `ms`. */
  hold(run: () => Promise<unknown>, ms?: number): void;
  /** Does what is held back, in order; whether each of it was admitted. */
  land(): Promise<boolean[]>;
}

export function createHeld(runtime: Runtime): Held {
  const held = new Map<() => Promise<unknown>, () => void>();
  return {
    hold(run, ms) {
      const landAlone = () => {
        held.delete(run);
        // It may be refused by now, and nobody is there to be told.
        run().catch(() => {});
      };
      held.set(run, ms === undefined ? () => {} : runtime.after(ms, landAlone, 'background'));
    },
    async land() {
      const calls = [...held];
      held.clear();
      for (const [, cancel] of calls) cancel();
      const outcomes = await Promise.allSettled(calls.map(([run]) => run()));
      return outcomes.map(({ status }) => status === 'fulfilled');
    },
  };
}
