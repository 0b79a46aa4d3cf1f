import { AgentStateError } from './errors.ts';
import type { Runtime } from './runtime.ts';

/**
 * What `call` gives, or `unavailable` after `ms`: no client is trusted to have a deadline of its own. Whether a late
 * call was applied is not known, hence `maybe`. An event loop that was blocked does not make an answer late that has
 * arrived: the verdict waits for one turn of the loop.
 */
export function withDeadline<T>(runtime: Runtime, ms: number, what: string, call: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () =>
      reject(new AgentStateError('unavailable', `${what} did not answer within ${ms} ms.`, { applied: 'maybe' }));
    let cancel = runtime.after(ms, () => {
      cancel = runtime.after(0, late);
    });
    call()
      .then(resolve, reject)
      .finally(() => cancel());
  });
}
