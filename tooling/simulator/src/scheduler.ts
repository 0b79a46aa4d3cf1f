import { createHeap } from './heap.ts';

/** Virtual time: one event after the other, and between two of them everything that needs no time. */
export interface Scheduler {
  now(): number;
  /** Calls `run` after `ms`; returns what cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Lets time pass up to `end`, or to the last event before it. */
  passTo(end: number): Promise<void>;
  /** How many events there were. */
  events(): number;
}

/** More events than any world needs: something goes round in circles. */
const maxEvents = 400_000;

const nothing = (): void => {};

export function createScheduler(): Scheduler {
  const heap = createHeap();
  let time = 0;
  let order = 0;
  let events = 0;

  /** False when nothing is left to do before `end`. */
  function fire(end: number): boolean {
    const event = heap.peek();
    if (!event || event.at > end) return false;
    heap.pop();
    if (event.run === nothing) return true;
    events += 1;
    if (events > maxEvents) throw new Error(`There is no end to it: ${maxEvents} events.`);
    time = event.at;
    event.run();
    return true;
  }

  return {
    now: () => time,
    events: () => events,
    after(ms, run) {
      const event = { at: time + Math.max(0, ms), order: ++order, run };
      heap.push(event);
      return () => {
        event.run = nothing;
      };
    },
    passTo(end) {
      return new Promise((resolve, reject) => {
        const turn = (): void => {
          try {
            if (fire(end)) {
              settled(turn);
              return;
            }
            time = Math.max(time, end);
            resolve();
          } catch (error) {
            reject(error);
          }
        };
        settled(turn);
      });
    },
  };
}

/**
 * Calls `next` when all promises that need no event have settled. Ticks come after all microtasks, those that
 * microtasks queue included; one that is asked for within a tick would come before them.
 */
function settled(next: () => void): void {
  queueMicrotask(() => process.nextTick(next));
}
