import { hostname } from 'node:os';
import type { Runtime } from '../protocol/runtime.ts';
import type { ThreadState } from '../state/schema.ts';
import type { Hold } from './hold.ts';

/** What one process holds of the threads of one store: the holds at work or not stored yet, and the queues. */
export interface Hub {
  /** Names this process in what is stored, for people. */
  readonly owner: string;
  readonly holds: Map<string, Hold>;
  /** Runs of one process on one thread queue: each starts when the one before has ended. */
  enqueue<T>(threadId: string, job: () => Promise<T>): Promise<T>;
  /** Ends when nothing runs any more and everything is stored, or after `ms`. */
  settled(ms: number, threadId?: string): Promise<void>;
}

/** A thread that could not be stored before the deadline: the state, for export. */
export interface UnsavedThread {
  readonly threadId: string;
  readonly state: ThreadState;
}

export function createHub(runtime: Runtime): Hub {
  const queues = new Map<string, Promise<unknown>>();
  const holds = new Map<string, Hold>();
  const isBusy = (threadId?: string) =>
    threadId === undefined ? queues.size > 0 || holds.size > 0 : queues.has(threadId) || holds.has(threadId);
  return {
    owner: `${hostname()}:${process.pid}:${runtime.id()}`,
    holds,
    enqueue(threadId, job) {
      const result = (queues.get(threadId) ?? Promise.resolve()).then(job);
      const tail = result.then(
        () => {},
        () => {},
      );
      queues.set(threadId, tail);
      return result.finally(() => {
        if (queues.get(threadId) === tail) queues.delete(threadId);
      });
    },
    async settled(ms, threadId) {
      const end = runtime.monotonic() + ms;
      while (isBusy(threadId) && runtime.monotonic() < end) {
        for (const hold of holds.values()) hold.wakeProbe();
        await new Promise<void>((resolve) => runtime.after(20, resolve));
      }
    },
  };
}
