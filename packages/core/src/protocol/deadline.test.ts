import { describe, expect, it } from 'vitest';
import { createVirtualRuntime, settle } from '../testing/virtual-runtime.ts';
import { withDeadline } from './deadline.ts';
import { sleep, systemRuntime } from './runtime.ts';

const never = () => new Promise<never>(() => {});
const late = { code: 'unavailable', applied: 'maybe', message: 'save on redis did not answer within 100 ms.' };

/** The outcome so far, without waiting for one. */
function watch(promise: Promise<unknown>): { outcome: unknown } {
  const seen: { outcome: unknown } = { outcome: 'open' };
  promise.then(
    (value) => {
      seen.outcome = value;
    },
    (error) => {
      seen.outcome = error;
    },
  );
  return seen;
}

describe('a call under a deadline', () => {
  it('that never answers is unavailable in time, and may have been applied', async () => {
    const runtime = createVirtualRuntime();
    const seen = watch(withDeadline(runtime, 100, 'save on redis', never));
    await runtime.advance(99);
    expect(seen.outcome).toBe('open');
    await runtime.advance(1);
    expect(seen.outcome).toMatchObject(late);
  });

  it('ends also where less than no time was left for it', async () => {
    const runtime = createVirtualRuntime();
    const seen = watch(withDeadline(runtime, -1_000, 'save on redis', never));
    await runtime.advance(1);
    expect(seen.outcome).toMatchObject({ code: 'unavailable' });
    expect(runtime.pending('all')).toBe(0);
  });

  it('gives what the call gives, and leaves no timer behind', async () => {
    const runtime = createVirtualRuntime();
    expect(await withDeadline(runtime, 100, 'x', async () => 7)).toBe(7);
    await expect(withDeadline(runtime, 100, 'x', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await settle();
    expect(runtime.pending('all')).toBe(0);
  });

  it('that throws where it should reject is a rejection, and leaves no timer behind', async () => {
    const runtime = createVirtualRuntime();
    const broken = () => {
      throw new Error('at once');
    };
    await expect(withDeadline(runtime, 100, 'x', broken)).rejects.toThrow('at once');
    await settle();
    expect(runtime.pending('all')).toBe(0);
  });

  it('that answers after its deadline changes nothing any more, whatever it answers', async () => {
    const runtime = createVirtualRuntime();
    const answers = withDeadline(runtime, 100, 'x', () => sleep(runtime, 200));
    const fails = withDeadline(runtime, 100, 'x', () =>
      sleep(runtime, 200).then(() => Promise.reject(new Error('late'))),
    );
    const outcomes = await runtime.until(Promise.allSettled([answers, fails]));
    expect(outcomes).toMatchObject([{ reason: { code: 'unavailable' } }, { reason: { code: 'unavailable' } }]);
    await runtime.advance(500);
    expect(runtime.pending('all')).toBe(0);
  });

  it('begins before anything else can happen', () => {
    let called = false;
    void withDeadline(createVirtualRuntime(), 100, 'x', async () => {
      called = true;
    });
    expect(called).toBe(true);
  });
});

describe('an event loop that was blocked', () => {
  it('does not make a call late whose answer needs another round trip', async () => {
    const runtime = createVirtualRuntime();
    const answer = sleep(runtime, 50)
      .then(() => sleep(runtime, 50))
      .then(() => 'here');
    const seen = watch(withDeadline(runtime, 120, 'x', () => answer));
    runtime.block(10_000);
    await runtime.advance(60);
    expect(seen.outcome).toBe('here');
  });

  it('gives the store its time again, and no more', async () => {
    const runtime = createVirtualRuntime();
    const seen = watch(withDeadline(runtime, 100, 'save on redis', never));
    runtime.block(10_000);
    await runtime.advance(99);
    expect(seen.outcome).toBe('open');
    await runtime.advance(1);
    expect(seen.outcome).toMatchObject(late);
  });

  it('really: synchronous work past the deadline, with the answer on its way', async () => {
    const answer = new Promise((resolve) => setTimeout(() => setImmediate(() => setTimeout(resolve, 1, 'here')), 5));
    const outcome = withDeadline(systemRuntime, 20, 'x', () => answer);
    const end = performance.now() + 150;
    while (performance.now() < end);
    await expect(outcome).resolves.toBe('here');
  });
});

describe('sleeping', () => {
  it('ends with its time or its signal, and leaves neither a timer nor a listener behind', async () => {
    const runtime = createVirtualRuntime();
    const aborter = new AbortController();
    await runtime.until(sleep(runtime, 10, aborter.signal));
    const woken = sleep(runtime, 10_000, aborter.signal);
    aborter.abort();
    await woken;
    await sleep(runtime, 10_000, aborter.signal);
    expect(runtime.pending('all')).toBe(0);
  });

  it('past what a timer can hold does not end at once', async () => {
    const aborter = new AbortController();
    const seen = watch(sleep(systemRuntime, 30 * 24 * 3_600_000, aborter.signal));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(seen.outcome).toBe('open');
    aborter.abort();
  });
});
