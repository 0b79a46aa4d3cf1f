import { systemRuntime } from '@agent-state/core';
import { expect, test } from 'vitest';
import { createServerClock } from './clock.ts';

/** A machine whose clocks are moved by hand, and a server an hour ahead of it, 40 ms away. */
function machine() {
  const clocks = { monotonic: 0, wall: 1_000_000 };
  const pass = (ms: number) => {
    clocks.monotonic += ms;
    clocks.wall += ms;
  };
  let reads = 0;
  const read = async () => {
    reads += 1;
    pass(20);
    const server = new Date(clocks.wall + 3_600_000);
    pass(20);
    return server;
  };
  const runtime = { ...systemRuntime, now: () => clocks.wall, monotonic: () => clocks.monotonic };
  return { clocks, pass, read, runtime, reads: () => reads };
}

test("the server's time is read once, and half the way there and back is taken off", async () => {
  const { clocks, pass, read, runtime, reads } = machine();
  const clock = await createServerClock(read, runtime);
  expect(await clock.now()).toBe(clocks.wall + 3_600_000);
  pass(60_000);
  expect(await clock.now()).toBe(clocks.wall + 3_600_000);
  expect(reads()).toBe(1);
});

test('it is read again after a quarter of an hour', async () => {
  const { pass, read, runtime, reads } = machine();
  const clock = await createServerClock(read, runtime);
  pass(16 * 60_000);
  await clock.now();
  expect(reads()).toBe(2);
});

test('a machine that slept, or whose wall clock was set, asks again', async () => {
  const { clocks, read, runtime, reads } = machine();
  const clock = await createServerClock(read, runtime);
  clocks.wall += 8 * 3_600_000;
  expect(await clock.now()).toBe(clocks.wall + 3_600_000);
  expect(reads()).toBe(2);
});
