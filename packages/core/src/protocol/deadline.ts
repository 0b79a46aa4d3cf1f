import { AgentStateError } from './errors.ts';
import type { Runtime } from './runtime.ts';

/** A timer that is this late was held up by code that kept the event loop busy. */
const blockedMs = 50;

/**
 * What `call` gives, or `unavailable` after `ms`: no client is trusted to have a deadline of its own. Whether a late
 * call was applied is not known, hence `maybe`. An event loop that was blocked does not make an answer late: neither
 * could the client send or read meanwhile, so the time starts again, and the verdict waits for one more turn.
 */
export function withDeadline<T>(runtime: Runtime, ms: number, what: string, call: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let cancel = (): void => {};
    const late = () =>
      reject(new AgentStateError('unavailable', `${what} did not answer within ${ms} ms.`, { applied: 'maybe' }));
    const wait = (): void => {
      // What is left of a budget may be less than nothing.
      const left = Math.max(0, ms);
      const due = runtime.monotonic() + left;
      cancel = runtime.after(left, () => {
        if (runtime.monotonic() - due > blockedMs) wait();
        else cancel = runtime.after(0, late);
      });
    };
    wait();
    settledBy(call)
      .then(resolve, reject)
      .finally(() => cancel());
  });
}

/** Called at once; what it throws is a rejection like any other. */
async function settledBy<T>(call: () => Promise<T>): Promise<T> {
  return call();
}
