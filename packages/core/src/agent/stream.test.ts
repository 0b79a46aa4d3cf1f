import { describe, expect, it } from 'vitest';
import { settle } from '../testing/virtual-runtime.ts';
import type { StreamEvent } from './events.ts';
import { streamOf } from './stream.ts';

type Listen = (event: StreamEvent<never>) => void;
const text = (said: string) => ({ type: 'text' as const, text: said });

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const events: T[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe('a stream', () => {
  it('yields what happens, in order, and at the end the result', async () => {
    const stream = streamOf(undefined, async (listen: Listen) => {
      listen(text('a'));
      await settle();
      listen(text('b'));
      listen(text('c'));
      return 7;
    });
    expect(await all(stream)).toEqual([text('a'), text('b'), text('c'), { type: 'result', result: 7 }]);
  });

  it('does not start before somebody asks for its first event', async () => {
    let started = false;
    const stream = streamOf(undefined, async () => {
      started = true;
    });
    await settle();
    expect(started).toBe(false);
    await all(stream);
    expect(started).toBe(true);
  });

  it('yields what happened before a failure, and then throws it', async () => {
    const seen: unknown[] = [];
    const read = async () => {
      for await (const event of streamOf(undefined, async (listen: Listen) => {
        listen(text('a'));
        throw new Error('model');
      })) {
        seen.push(event);
      }
    };
    await expect(read()).rejects.toThrow('model');
    expect(seen).toEqual([text('a')]);
  });

  it('that is left early aborts its run and waits for its end', async () => {
    const log: string[] = [];
    const stream = streamOf(undefined, async (listen: Listen, signal: AbortSignal) => {
      listen(text('a'));
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await settle();
      log.push('run ended');
      throw new Error('aborted');
    });
    for await (const _ of stream) break;
    log.push('left');
    expect(log).toEqual(['run ended', 'left']);
  });

  it('that is left while an event is waited for aborts its run at once', async () => {
    const stream = streamOf(undefined, async (listen: Listen, signal: AbortSignal) => {
      listen(text('a'));
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      throw new Error('aborted');
    });
    await stream.next();
    const waited = stream.next();
    expect(await stream.return?.()).toEqual({ done: true, value: undefined });
    expect(await waited).toEqual({ done: true, value: undefined });
  });

  it('takes a hundred thousand events that nobody read in time', async () => {
    const count = 100_000;
    const stream = streamOf(undefined, async (listen: Listen) => {
      for (let index = 0; index < count; index += 1) listen(text('a'));
    });
    const start = performance.now();
    expect(await all(stream)).toHaveLength(count + 1);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('is aborted by its caller as well', async () => {
    const caller = new AbortController();
    const stream = streamOf(caller.signal, async (_: Listen, signal: AbortSignal) => {
      caller.abort();
      return signal.aborted;
    });
    expect(await all(stream)).toEqual([{ type: 'result', result: true }]);
  });

  it('whose run fails while nobody reads is no unhandled rejection', async () => {
    const stream = streamOf(undefined, async (listen: Listen) => {
      listen(text('a'));
      throw new Error('unread');
    });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await settle();
    await iterator.return?.(undefined);
  });
});
