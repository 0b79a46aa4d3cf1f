import { retryDelay } from '../agent/saving/policy.ts';
import { isAgentStateError } from '../protocol/errors.ts';
import { type Runtime, sleep } from '../protocol/runtime.ts';

/** How long something that people ask of a thread is tried. */
export interface Budgeted {
  readonly runtime: Runtime;
  /** In milliseconds. */
  readonly budgetMs: number;
}

export interface Budget {
  /** How much is left, in milliseconds: no call of the store may take longer. */
  readonly left: () => number;
  /** Work of the caller's own: its time does not count, and what it throws ends it all. */
  readonly uncounted: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Tries until `attempt` gives something or the budget is spent: where the store is out of reach, or somebody else wrote
 * meanwhile. A write whose outcome is unknown is among what is tried again, so an attempt has to recognise its own. What
 * is thrown in the end says `applied: 'maybe'` where any of the attempts did.
 */
export async function withinBudget<T>(
  { runtime, budgetMs }: Budgeted,
  attempt: (budget: Budget) => Promise<T>,
): Promise<T> {
  let end = runtime.monotonic() + budgetMs;
  let own: { readonly error: unknown } | undefined;
  let unsure: unknown;
  const budget: Budget = {
    left: () => end - runtime.monotonic(),
    async uncounted(work) {
      const begun = runtime.monotonic();
      try {
        return await work();
      } catch (error) {
        own = { error };
        throw error;
      } finally {
        end += runtime.monotonic() - begun;
      }
    },
  };
  for (let count = 1; ; count += 1) {
    try {
      return await attempt(budget);
    } catch (error) {
      if (own || !isRetried(error)) throw error;
      if (isAgentStateError(error, 'unavailable') && error.applied === 'maybe') unsure = error;
      const delay = retryDelay(runtime, count);
      if (delay >= budget.left()) throw unsure ?? error;
      await sleep(runtime, delay);
    }
  }
}

function isRetried(error: unknown): boolean {
  return isAgentStateError(error, 'unavailable') || isAgentStateError(error, 'conflict');
}
