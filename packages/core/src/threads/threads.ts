import type { PastState } from '../agent/record/past-state.ts';
import { type PauseOptions, pauseRequest } from '../agent/record/pause-request.ts';
import { type PendingCall, pendingCalls } from '../agent/record/pending-calls.ts';
import { cancelled, pausedBy } from '../agent/record/requests.ts';
import { createStorePort } from '../agent/saving/store-port.ts';
import { assertCheckpointer } from '../protocol/assert-checkpointer.ts';
import type { Checkpointer, ListOptions, StepsOptions, ThreadPage, ThreadQuery } from '../protocol/checkpointer.ts';
import {
  assertFromOne,
  assertKnown,
  assertKnownArguments,
  assertTime,
  type KnownOptions,
} from '../protocol/options.ts';
import { type Runtime, systemRuntime } from '../protocol/runtime.ts';
import type { CallDecision, StepRecord, ThreadState } from '../state/schema.ts';
import { type Asking, ask } from './ask.ts';
import { type DecisionReceipt, decide, propose } from './decisions.ts';
import { dueThreads } from './due.ts';
import { forkThread } from './fork-thread.ts';
import { type HistoryChange, rewrite } from './rewrite.ts';
import { loaded, pastAt } from './state-at.ts';

/**
 * Threads without an agent: to look at them, to decide what waits for a person, and to stop, copy or delete them. What
 * is asked of a run that another process works on is stored at once; that process obeys with its next save, within a
 * heartbeat at the latest.
 */
export interface Threads {
  /** The thread as last saved, deeply frozen; undefined where there is none. */
  get(threadId: string): Promise<ThreadState | undefined>;
  list(options?: ListOptions): Promise<ThreadPage>;
  query(query: ThreadQuery): Promise<ThreadPage>;
  steps(threadId: string, options?: StepsOptions): Promise<readonly StepRecord[]>;
  /** History and variables as they were after a step; the first is 1. `not_found` where the thread or the step is not there. */
  stateAt(threadId: string, step: number): Promise<PastState>;
  /** The calls that wait for a person. */
  pending(threadId: string): Promise<readonly PendingCall[]>;
  /**
   * Decides on a waiting call, named by its key; of a call, the first decision counts. It is recorded, and nothing else:
   * `resume`, in any process, goes on with it. `not_found` where no open call has the key.
   */
  decide(threadId: string, key: string, decision: CallDecision): Promise<DecisionReceipt>;
  /**
   * Proposes other arguments for a call that waits for approval. It gets another key, and is decided anew: nothing that
   * was decided on the arguments before counts for these.
   */
  propose(threadId: string, key: string, args: object): Promise<PendingCall>;
  /**
   * Pauses the run: nothing new is begun. False where none is at work. `resume` goes on with it, at any time. One that is
   * paused until a time, or for a reason, keeps these where no others are given.
   */
  pause(threadId: string, request?: PauseOptions): Promise<boolean>;
  /** Cancels the run, at work or paused. False where no run is open. */
  cancel(threadId: string): Promise<boolean>;
  /**
   * Paused threads whose `wakeAt` is `now` or earlier, to be resumed. The store is asked for these alone, so it costs
   * what is due, not what is stored, wherever the store has an index of them. It reads none of them: one that cannot
   * be read may be there as well, and its `resume` says so. `unsupported` where the store cannot query.
   */
  due(now?: Date): Promise<readonly string[]>;
  /**
   * A new thread with the history and variables of this one, now or after a step, without a run. Its id: `as`, which
   * must be free, or one made from this thread's. It lives as long as this one was to. `unavailable` has the `forkId`
   * where it is not known whether the fork was stored.
   */
  fork(
    threadId: string,
    options?: { readonly as?: string | undefined; readonly atStep?: number | undefined },
  ): Promise<string>;
  /**
   * Replaces the history, as with a summary, if it is still the one that `change` was given; `change` is called again
   * where it is not. The steps keep a record of it. `invalid_argument` where a call is parted from its result. A run that
   * is at work on the thread, in whichever process, ends with `taken_over`; its input can be sent again, or resumed.
   * `unavailable`, with `applied: 'maybe'`, where somebody wrote before it could be told whether the history was replaced.
   */
  rewrite(threadId: string, change: HistoryChange, options?: { readonly reason?: string | undefined }): Promise<void>;
  delete(threadId: string): Promise<void>;
}

export interface ThreadsOptions {
  /** How long one call of the store may take, in milliseconds; default 2,000. */
  readonly storeCallMs?: number | undefined;
  /** How long a request is tried, in milliseconds; default 5,000. */
  readonly storeBudgetMs?: number | undefined;
  /** Clock, timers, chance and ids; default: the system's. */
  readonly runtime?: Runtime | undefined;
}

const threadsOptions: KnownOptions<ThreadsOptions> = { storeCallMs: true, storeBudgetMs: true, runtime: true };

export function createThreads(checkpointer: Checkpointer, options: ThreadsOptions = {}): Threads {
  assertKnown(options, threadsOptions);
  assertCheckpointer(checkpointer);
  const { runtime = systemRuntime, storeCallMs = 2_000, storeBudgetMs: budgetMs = 5_000 } = options;
  assertTime(storeCallMs, 'storeCallMs');
  assertTime(budgetMs, 'storeBudgetMs');
  const port = createStorePort(checkpointer, runtime, storeCallMs);
  const asking: Asking = { port, runtime, budgetMs };

  return Object.freeze<Threads>({
    async get(threadId) {
      const found = await port.load(threadId);
      return found.found ? found.state : undefined;
    },
    list: (options) => port.list(options),
    query: (query) => port.query(query),
    steps: (threadId, options) => port.steps(threadId, options),
    delete: (threadId) => port.delete(threadId),
    async stateAt(threadId, step) {
      assertFromOne(step, 'step');
      return (await pastAt(port, threadId, await loaded(port, threadId), step)).past;
    },
    pending: async (threadId) => pendingCalls((await loaded(port, threadId)).state),
    decide: (threadId, key, decision) => decide(asking, threadId, key, decision),
    propose: (threadId, key, args) => propose(asking, threadId, key, args),
    async pause(threadId, request = {}) {
      assertKnownArguments(request, { wakeAt: true, reason: true });
      const pause = { kind: 'request', ...pauseRequest(request) } as const;
      return ask(asking, threadId, (run) => written(pausedBy(run, { ...run.pause, ...pause })), true);
    },
    cancel: (threadId) => ask(asking, threadId, (run) => written(cancelled(run)), true),
    due: async (now = new Date(runtime.now())) => dueThreads(port, now),
    async fork(threadId, options = {}) {
      assertKnownArguments(options, { as: true, atStep: true });
      const { as, atStep } = options;
      if (atStep === undefined) return forkThread(asking, threadId, { as, past: undefined });
      assertFromOne(atStep, 'atStep');
      return forkThread(asking, threadId, { as, past: (found) => pastAt(port, threadId, found, atStep) });
    },
    async rewrite(threadId, change, options = {}) {
      assertKnownArguments(options, { reason: true });
      return rewrite(asking, threadId, change, options.reason);
    },
  });
}

function written<Run>(run: Run | undefined): { readonly run: Run } | { readonly answer: boolean } {
  return run === undefined ? { answer: false } : { run };
}
