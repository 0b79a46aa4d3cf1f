import type { Runtime } from '@agent-state/core';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/**
 * What a process hears of the world comes through its gate: timers and answers. A process that has died hears nothing
 * more, so that none of its promises continues; one that is frozen hears all of it later.
 */
export interface Gate {
  readonly alive: boolean;
  readonly frozen: boolean;
  enter(run: () => void): void;
  freeze(): void;
  thaw(): void;
  kill(): void;
}

export function createGate(scheduler: Scheduler): Gate {
  let held: (() => void)[] = [];
  let alive = true;
  let frozen = false;
  const gate: Gate = {
    get alive() {
      return alive;
    },
    get frozen() {
      return frozen;
    },
    enter(run) {
      if (!alive) return;
      if (frozen) held.push(run);
      else run();
    },
    freeze() {
      frozen = true;
    },
    thaw() {
      frozen = false;
      for (const run of held) scheduler.after(0, () => gate.enter(run));
      held = [];
    },
    kill() {
      alive = false;
      held = [];
    },
  };
  return gate;
}

const start = Date.UTC(2026, 10, 29);

/** Time, chance and ids of one process. Its wall clock may be wrong; its ids are its own. */
export function runtimeOf(
  { scheduler, random }: { readonly scheduler: Scheduler; readonly random: Random },
  gate: Gate,
  name: string,
  wallClockSkewMs: number,
): Runtime {
  let ids = 0;
  return {
    now: () => start + scheduler.now() + wallClockSkewMs,
    monotonic: () => scheduler.now(),
    after(ms, run) {
      let wanted = true;
      // As Node's timers: never at once.
      const cancel = scheduler.after(Math.max(1, ms), () => gate.enter(() => wanted && run()));
      return () => {
        wanted = false;
        cancel();
      };
    },
    random: () => random.next(),
    id: () => `${name}-${++ids}`,
  };
}
