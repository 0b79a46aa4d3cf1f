import { randomBytes } from 'node:crypto';

/** Time, chance and ids, as parameters: the product and the simulator run the same code under different ones. */
export interface Runtime {
  /** Wall clock, in milliseconds since 1970. Shown to people; never decides order or ownership. */
  now(): number;
  /** A clock that never goes back, in milliseconds. */
  monotonic(): number;
  /**
   * Calls `run` after `ms`. A `background` timer does not keep the process alive; any other does, for somebody waits
   * for it. Returns a function that cancels it.
   */
  after(ms: number, run: () => void, kind?: 'background'): () => void;
  /** From 0 up to 1. */
  random(): number;
  /** Unique, without meaning, 22 characters of base64url. */
  id(): string;
}

export const systemRuntime: Runtime = Object.freeze({
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms: number, run: () => void, kind?: 'background') {
    // A Node timer holds 24.8 days at most; a longer one would fire at once.
    const timer = setTimeout(run, Math.min(ms, 2_147_483_647));
    if (kind === 'background') timer.unref();
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  id: () => randomBytes(16).toString('base64url'),
});

/** Resolves after `ms`, or as soon as `signal` aborts. */
export function sleep(runtime: Runtime, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = runtime.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
