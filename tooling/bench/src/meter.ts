/** What has been sent so far. */
export interface Sent {
  readonly calls: number;
  readonly bytes: number;
}

/** Counts what a client sends; read before and after. */
export interface Meter {
  read(): Sent;
}

export function since(before: Sent, now: Sent): Sent {
  return { calls: now.calls - before.calls, bytes: now.bytes - before.bytes };
}

/** Several meters as one. */
export function sumOf(meters: readonly Meter[]): Meter {
  return {
    read() {
      const all = meters.map((meter) => meter.read());
      return {
        calls: all.reduce((sum, { calls }) => sum + calls, 0),
        bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    },
  };
}
