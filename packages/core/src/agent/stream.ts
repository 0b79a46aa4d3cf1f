import type { StreamEvent } from './events.ts';

/**
 * The events of a run as an iterable. The run starts with the first step of the loop over it and is aborted when the
 * loop is left early.
 */
export async function* streamOf<Result>(
  callerSignal: AbortSignal | undefined,
  start: (listen: (event: StreamEvent<never>) => void, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<StreamEvent<Result>> {
  const left = new AbortController();
  const signal = callerSignal ? AbortSignal.any([callerSignal, left.signal]) : left.signal;
  const events: StreamEvent<Result>[] = [];
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
    for (;;) {
      const event = events.shift();
      if (event) yield event;
      else if (ended) return await run;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    left.abort();
    await run.catch(() => {});
  }
}
