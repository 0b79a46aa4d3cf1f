import type { Absence, Checkpoint } from '../../protocol/checkpointer.ts';
import { isAgentStateError } from '../../protocol/errors.ts';
import { sleep } from '../../protocol/runtime.ts';
import { runAborted } from '../failures.ts';
import { retryDelay } from '../saving/policy.ts';
import type { Saver } from '../saving/saver.ts';

interface Opening {
  readonly mustExist: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Throws where the agents have been closed meanwhile: nobody waits any more. */
  readonly assertOpen: () => void;
}

/**
 * What is stored of a thread, tried within the budget. `unknown` where the store is out of reach and the policy lets
 * the run begin in memory; a failed read never looks like a new thread.
 */
export async function open(
  saver: Saver,
  threadId: string,
  { mustExist, signal, assertOpen }: Opening,
): Promise<Checkpoint | Absence | 'unknown'> {
  const { port, runtime, policy } = saver;
  const waits = policy.onStoreDown === 'wait';
  const end = waits ? Number.POSITIVE_INFINITY : runtime.monotonic() + policy.budgetMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await port.load(threadId, end - runtime.monotonic());
    } catch (error) {
      assertOpen();
      if (!isAgentStateError(error, 'unavailable')) throw error;
      const delay = retryDelay(runtime, attempt);
      const spent = runtime.monotonic() + delay + policy.callMs > end;
      if (spent && (mustExist || policy.onStoreDown === 'throw')) throw error;
      if (spent) return 'unknown';
      await sleep(runtime, delay, signal);
      if (signal?.aborted) throw runAborted(threadId);
    }
  }
}
