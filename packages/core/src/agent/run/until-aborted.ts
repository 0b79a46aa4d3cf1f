/** What `work` gives, or the signal's reason as soon as it aborts: work that ignores the signal holds nobody up. */
export function untilAborted<T>(signal: AbortSignal, work: () => T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    if (signal.aborted) return aborted();
    signal.addEventListener('abort', aborted, { once: true });
    Promise.resolve()
      .then(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', aborted));
  });
}
