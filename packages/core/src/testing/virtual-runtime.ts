import type { Runtime } from '../protocol/runtime.ts';

/**
 * A runtime whose time moves only when a test moves it: hand it to the factory and to a checkpointer in memory, and
 * deadlines, backoffs and heartbeats of minutes take no time. Processes that share a store share one runtime, for its
 * ids are unique only within it. It does not wait for real I/O: with a store that is elsewhere use the real time.
 */
export interface VirtualRuntime extends Runtime {
  /** Lets `ms` pass: every timer due fires in its turn, and what it set going has settled before the next one. */
  advance(ms: number): Promise<void>;
  /** Lets time pass, timer by timer, until `promise` has settled; what it resolves or rejects with. */
  until<T>(promise: Promise<T>): Promise<T>;
  /** As if synchronous code had kept the event loop busy: time passes and no timer fires. */
  block(ms: number): void;
  /** Moves the wall clock alone, back or forth. */
  shiftWallClock(ms: number): void;
  /** Timers that have not fired and were not cancelled; those that keep the process alive, or all. */
  pending(kind?: 'all'): number;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly background: boolean;
  readonly run: () => void;
}

const start = Date.UTC(2026, 10, 29);
/** No test waits longer than this, in virtual time: a promise that is still open then never settles. */
const longestMs = 24 * 3_600_000;

/** Begins at an instant of its own, always the same one; its ids and chances are the same every time. */
export function createVirtualRuntime(): VirtualRuntime {
  const timers = new Set<Timer>();
  let time = 0;
  let wallClock = start;
  let count = 0;

  const fireNext = (target: number): boolean => {
    const [next] = [...timers].sort((a, b) => a.at - b.at || a.order - b.order);
    if (!next || next.at > target) return false;
    timers.delete(next);
    time = Math.max(time, next.at);
    next.run();
    return true;
  };

  return {
    now: () => wallClock + time,
    monotonic: () => time,
    after(ms, run, kind) {
      const timer = { at: time + ms, order: ++count, background: kind === 'background', run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    random: () => 0.5,
    id: () => `id-${++count}`,
    async advance(ms) {
      const target = time + ms;
      await settle();
      while (fireNext(target)) await settle();
      time = Math.max(time, target);
    },
    async until(promise) {
      let settled = false;
      const watch = () => {
        settled = true;
      };
      promise.then(watch, watch);
      const target = time + longestMs;
      await settle();
      while (!settled && fireNext(target)) await settle();
      if (!settled) throw new Error('Nothing is left that could settle the promise.');
      return promise;
    },
    block(ms) {
      time += ms;
    },
    shiftWallClock(ms) {
      wallClock += ms;
    },
    pending: (kind) => [...timers].filter(({ background }) => kind === 'all' || !background).length,
  };
}

/** Everything that needs no timer has happened. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
