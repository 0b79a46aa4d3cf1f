import { hostname } from 'node:os';
import { createQueues } from '../../protocol/queues.ts';
import { type Runtime, sleep } from '../../protocol/runtime.ts';
import type { ThreadState } from '../../state/schema.ts';
import { agentsClosed } from '../failures.ts';
import { type Hold, isUnsaved, stop } from './hold.ts';

/** What one process holds of the threads of one store: the holds at work or not stored yet, and the queues. */
export interface Hub {
  /** Names this process in what is stored, for people. */
  readonly owner: string;
  readonly holds: Map<string, Hold>;
  /** Runs of one process on one thread queue: each starts when the one before has ended. `closed` after `close`. */
  enqueue<T>(threadId: string, job: () => Promise<T>): Promise<T>;
  /** A run has let go of it: it is kept for as long as something of it is not stored. */
  letGo(hold: Hold): void;
  /** Keeps a thread of an outage that can never be stored, the last 100 of them, to be handed out once. */
  keepLost(hold: Hold): void;
  /** What cannot be stored, or is not yet: of one thread or of all. */
  takeUnsaved(threadId?: string): UnsavedThread[];
  /** Whether nothing is at work any more, or may be. */
  isClosed(): boolean;
  /** Throws `closed` once runs are let go of: for one that nothing is held of yet, so that it cannot be. */
  assertOpen(threadId: string): void;
  /** Ends when nothing runs any more and everything is stored, or after `ms`. */
  settled(ms: number, threadId?: string): Promise<void>;
  /**
   * Takes no further runs, lets those that there are end within `ms`, and hands out what is not stored then. Shortly
   * before that, runs that have not ended are stopped where they are, and let go of, so that any process can go on with
   * them. Nothing is at work after it: no run, and no probe.
   */
  close(ms: number): Promise<UnsavedThread[]>;
}

/** A thread that could not be stored before the deadline: the state, for export. */
export interface UnsavedThread {
  readonly threadId: string;
  readonly state: ThreadState;
}

const maxLost = 100;
/** How long before the end of `close` the runs are stopped: it takes a save to let go of a thread. */
const releaseMs = 1_000;

/** `stores`: whether what is held is to be stored; without a store nobody waits for that. */
export function createHub(runtime: Runtime, stores = true): Hub {
  const queues = createQueues();
  const holds = new Map<string, Hold>();
  const lost: UnsavedThread[] = [];
  let phase: 'open' | 'closing' | 'releasing' | 'closed' = 'open';

  const isPending = (hold: Hold | undefined) => hold !== undefined && (hold.running || (stores && isUnsaved(hold)));
  const isBusy = (threadId?: string) =>
    threadId === undefined
      ? queues.size() > 0 || [...holds.values()].some(isPending)
      : queues.has(threadId) || isPending(holds.get(threadId));

  const hub: Hub = {
    owner: `${hostname()}:${process.pid}:${runtime.id().slice(0, 8)}`,
    holds,
    async enqueue(threadId, job) {
      if (phase !== 'open') throw agentsClosed(threadId);
      return queues.enqueue(threadId, async () => {
        hub.assertOpen(threadId);
        return job();
      });
    },
    letGo(hold) {
      hold.running = false;
      hold.listen = undefined;
      hold.interrupt = undefined;
      const keep = !hold.stopped && (hold.volatile || !stores);
      if (!keep && holds.get(hold.threadId) === hold) holds.delete(hold.threadId);
    },
    keepLost(hold) {
      lost.push(...unsavedOf(hold));
      lost.splice(0, lost.length - maxLost);
    },
    takeUnsaved(threadId) {
      const isMeant = (thread: { readonly threadId: string }) => threadId === undefined || thread.threadId === threadId;
      const taken = lost.filter(isMeant);
      lost.splice(0, lost.length, ...lost.filter((thread) => !isMeant(thread)));
      return [...taken, ...unsavedOf(...[...holds.values()].filter(isMeant))];
    },
    isClosed: () => phase === 'closed',
    assertOpen(threadId) {
      if (phase === 'releasing' || phase === 'closed') throw agentsClosed(threadId);
    },
    async settled(ms, threadId) {
      const end = runtime.monotonic() + ms;
      while (isBusy(threadId) && runtime.monotonic() < end) {
        for (const hold of holds.values()) if (threadId === undefined || hold.threadId === threadId) hold.wakeProbe();
        await sleep(runtime, Math.min(20, end - runtime.monotonic()));
      }
    },
    async close(ms) {
      if (phase === 'open') phase = 'closing';
      const forRelease = Math.min(releaseMs, ms / 4);
      await hub.settled(ms - forRelease);
      // Who waits for its turn would begin now, and nobody would let go of it.
      if (phase === 'closing') phase = 'releasing';
      for (const hold of holds.values()) hold.interrupt?.('release');
      await hub.settled(forRelease);
      phase = 'closed';
      const unsaved = hub.takeUnsaved();
      for (const hold of holds.values()) stop(hold, agentsClosed(hold.threadId));
      return unsaved;
    },
  };
  return hub;
}

/** The threads of those holds of which something is in memory only. */
function unsavedOf(...holds: readonly Hold[]): UnsavedThread[] {
  return holds.filter(isUnsaved).map(({ threadId, state }) => ({ threadId, state }));
}
