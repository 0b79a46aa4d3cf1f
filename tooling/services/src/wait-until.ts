import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is true; a check that throws counts as "not yet", its error becomes the cause. */
export async function waitUntil(check: () => Promise<boolean>, what: string, timeout = 20_000): Promise<void> {
  const end = Date.now() + timeout;
  let cause: unknown;
  while (Date.now() < end) {
    try {
      if (await check()) return;
    } catch (error) {
      if (error instanceof GaveUp) throw error;
      cause = error;
    }
    await sleep(20);
  }
  throw new Error(`gave up after ${timeout} ms waiting until ${what}`, { cause });
}

/** Thrown by a check when waiting longer is pointless. */
export class GaveUp extends Error {
  override name = 'GaveUp';
}
