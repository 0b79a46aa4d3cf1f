import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which the system numbers outgoing connections: a client that retries a stopped server's
 * port would otherwise sooner or later connect to itself, and a restart could find its port taken.
 */
const lowest = 12_000;
const highest = 32_000;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
