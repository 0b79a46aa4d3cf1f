import type { Runtime } from '@agent-state/core';

/** The server's time, for expiry: no clock of this machine decides when a thread ends. */
export interface ServerClock {
  now(): Promise<number>;
}

/** How long one reading is good for. */
const goodForMs = 15 * 60_000;

/** Where this machine's two clocks disagree by more, it slept, and the reading is void. */
const driftMs = 1_000;

interface Reading {
  readonly server: number;
  readonly monotonic: number;
  readonly wall: number;
}

/** `read` asks the server; that is done once per connection and then seldom. */
export async function createServerClock(read: () => Promise<Date>, runtime: Runtime): Promise<ServerClock> {
  async function measure(): Promise<Reading> {
    const asked = runtime.monotonic();
    const server = await read();
    const monotonic = runtime.monotonic();
    return { server: server.getTime() + (monotonic - asked) / 2, monotonic, wall: runtime.now() };
  }
  let reading = await measure();
  return {
    async now() {
      const elapsed = runtime.monotonic() - reading.monotonic;
      const slept = Math.abs(runtime.now() - reading.wall - elapsed) > driftMs;
      if (elapsed > goodForMs || slept) {
        reading = await measure();
        return Math.round(reading.server);
      }
      return Math.round(reading.server + elapsed);
    },
  };
}
