import type { StreamEvent } from './events.ts';

/**
 * The events of a run as an iterable. The run starts with the first step of the loop over it and is aborted when the
 * loop is left early, also by a `return` while an event is waited for.
 */
export function streamOf<Result>(
  callerSignal: AbortSignal | undefined,
  start: (listen: (event: StreamEvent<never>) => void, signal: AbortSignal) => Promise<Result>,
): AsyncIterableIterator<StreamEvent<Result>> {
  const left = new AbortController();
  const signal = callerSignal ? AbortSignal.any([callerSignal, left.signal]) : left.signal;
  const events = eventsOf(start, signal, left);
  return {
    next: () => events.next(),
    return(value) {
      // A generator would hear of it only with its next event.
      left.abort();
      return events.return(value);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* eventsOf<Result>(
  start: (listen: (event: StreamEvent<never>) => void, signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
  left: AbortController,
): AsyncGenerator<StreamEvent<Result>> {
  let events: StreamEvent<Result>[] = [];
  let wake = (): void => {};
  const push = (event: StreamEvent<Result>): void => {
    events.push(event);
    wake();
  };
  let ended = false;
  const run = start(push, signal)
    .then((result) => push({ type: 'result', result }))
    .finally(() => {
      ended = true;
      wake();
    });
  // Awaited below; until then a failure is not an unhandled one.
  run.catch(() => {});
  try {
    while (!left.signal.aborted) {
      const batch = events;
      events = [];
      yield* batch;
      if (events.length > 0) continue;
      if (ended) return await run;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    left.abort();
    await run.catch(() => {});
  }
}
