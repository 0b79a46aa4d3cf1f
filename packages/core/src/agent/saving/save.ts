import type { AgentStateError } from '../../protocol/errors.ts';
import { sleep } from '../../protocol/runtime.ts';
import { type Hold, stop } from './hold.ts';
import { retryDelay } from './policy.ts';
import type { Saver } from './saver.ts';
import { attemptSave } from './write.ts';

/**
 * Saves all changes made so far, in order, and says whether the store acknowledged them. Changes made while a save is
 * under way ride on the next. While the store is down it returns false at once; where the policy is to wait for it, the
 * signal ends the wait. Throws what stops the run.
 */
export async function flush(saver: Saver, hold: Hold, signal: AbortSignal): Promise<boolean> {
  const wanted = hold.version;
  for (;;) {
    if (hold.stopped) throw hold.stopped;
    if (hold.savedVersion >= wanted) return true;
    if (hold.volatile) {
      hold.wakeProbe();
      return false;
    }
    await (hold.saving ?? exclusively(hold, () => saveWithinBudget(saver, hold, signal)));
  }
}

/** One save of a thread at a time. */
export function exclusively(hold: Hold, save: () => Promise<void>): Promise<void> {
  const saving = save().finally(() => {
    if (hold.saving === saving) hold.saving = undefined;
  });
  hold.saving = saving;
  return saving;
}

/** Tries until everything is stored or the budget is spent; then the policy says how to go on. */
async function saveWithinBudget(saver: Saver, hold: Hold, signal: AbortSignal): Promise<void> {
  const { runtime, policy } = saver;
  const waits = policy.onStoreDown === 'wait';
  const end = waits ? Number.POSITIVE_INFINITY : runtime.monotonic() + policy.budgetMs;
  for (let attempt = 1; ; attempt += 1) {
    const failure = await attemptSave(saver, hold, end);
    if (!failure) return;
    if (hold.stopped) throw hold.stopped;
    const delay = retryDelay(runtime, attempt);
    if (runtime.monotonic() + delay + policy.callMs > end || (waits && signal.aborted)) {
      if (policy.onStoreDown === 'throw') throw stop(hold, failure);
      return becomeVolatile(saver, hold, failure);
    }
    await sleep(runtime, delay, waits ? signal : hold.halt.signal);
    if (hold.stopped) throw hold.stopped;
  }
}

/** One warning an outage; the run goes on in memory, and the probe brings it back. */
export function becomeVolatile(saver: Saver, hold: Hold, failure: AgentStateError): void {
  const { threadId } = hold;
  hold.volatile = true;
  if (saver.outage.size === 0) {
    saver.logger.warn(
      { threadId, code: failure.code, cause: failure.message },
      'The store is unavailable: threads go on in memory only until it is back.',
    );
  }
  saver.outage.add(hold);
  saver.emit({ type: 'volatile', threadId, code: failure.code });
  saver.probe(hold);
}
