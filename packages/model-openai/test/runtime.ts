import { type Runtime, systemRuntime } from '@agent-state/core';

/** Timeouts of the tests, by which the runtime knows them from pauses. */
export const timeouts = { timeoutMs: 111_111, idleTimeoutMs: 22_222 } as const;

/** Time that passes at once where somebody sleeps, and for a timeout when the test says so. */
export function testRuntime() {
  const pauses: number[] = [];
  const waiting = new Map<() => void, number>();
  const runtime: Runtime = {
    ...systemRuntime,
    random: () => 1,
    now: () => Date.UTC(2026, 0, 1),
    after(ms, run) {
      if (ms === timeouts.timeoutMs || ms === timeouts.idleTimeoutMs) {
        waiting.set(run, ms);
        return () => waiting.delete(run);
      }
      pauses.push(ms);
      const immediate = setImmediate(run);
      return () => clearImmediate(immediate);
    },
  };
  const expire = (timeout: number) => {
    for (const [run, ms] of waiting) if (ms === timeout) run();
  };
  return { runtime, pauses, expire, pending: () => waiting.size };
}
