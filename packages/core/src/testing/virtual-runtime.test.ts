import { describe, expect, it } from 'vitest';
import { sleep } from '../protocol/runtime.ts';
import { createVirtualRuntime } from './virtual-runtime.ts';

describe('virtual time', () => {
  it('passes only when it is told to, and fires what is due in order', async () => {
    const runtime = createVirtualRuntime();
    const fired: string[] = [];
    for (const [name, ms] of [
      ['late', 30],
      ['early', 10],
      ['early too', 10],
    ] as const) {
      runtime.after(ms, () => fired.push(`${name} at ${runtime.monotonic()}`));
    }
    await runtime.advance(9);
    expect(fired).toEqual([]);
    await runtime.advance(21);
    expect(fired).toEqual(['early at 10', 'early too at 10', 'late at 30']);
    expect(runtime.monotonic()).toBe(30);
  });

  it('lets what a timer set going settle before the next timer fires', async () => {
    const runtime = createVirtualRuntime();
    const heard: string[] = [];
    const speak = async (name: string, ms: number) => {
      await sleep(runtime, ms);
      await Promise.resolve();
      heard.push(name);
    };
    await runtime.until(Promise.all([speak('second', 20), speak('first', 10)]));
    expect(heard).toEqual(['first', 'second']);
  });

  it('passes until a promise has settled, and no further', async () => {
    const runtime = createVirtualRuntime();
    const days = 12 * 3_600_000;
    runtime.after(2 * days, () => {});
    await runtime.until(sleep(runtime, days));
    expect([runtime.monotonic(), runtime.pending()]).toEqual([days, 1]);
    await expect(runtime.until(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('says so where nothing is left that could settle a promise', async () => {
    await expect(createVirtualRuntime().until(new Promise(() => {}))).rejects.toThrow('Nothing is left');
  });

  it('can be blocked, and then timers fire late', async () => {
    const runtime = createVirtualRuntime();
    let at = 0;
    runtime.after(10, () => {
      at = runtime.monotonic();
    });
    runtime.block(500);
    expect(at).toBe(0);
    await runtime.advance(0);
    expect(at).toBe(500);
  });

  it('has a wall clock that can go back while time goes on', () => {
    const runtime = createVirtualRuntime();
    const before = runtime.now();
    runtime.shiftWallClock(-3_600_000);
    expect([runtime.now() - before, runtime.monotonic()]).toEqual([-3_600_000, 0]);
  });

  it('knows the timers that are left, without those in the background', () => {
    const runtime = createVirtualRuntime();
    const cancel = runtime.after(10, () => {});
    runtime.after(10, () => {}, 'background');
    expect([runtime.pending(), runtime.pending('all')]).toEqual([1, 2]);
    cancel();
    expect([runtime.pending(), runtime.pending('all')]).toEqual([0, 1]);
  });

  it('is the same every time: its instant, its chances, its ids', () => {
    const draw = () => {
      const runtime = createVirtualRuntime();
      return [runtime.now(), runtime.random(), runtime.id(), runtime.id()];
    };
    expect(draw()).toEqual(draw());
    expect(new Set(draw()).size).toBe(4);
  });
});
