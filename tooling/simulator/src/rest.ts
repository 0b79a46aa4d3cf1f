import type { Process } from './process.ts';
import type { World } from './world.ts';

/** Resolves after `ms` within a process: never where it has died, later where it is frozen. */
export function rest({ scheduler }: World, { gate }: Process, ms: number): Promise<void> {
  return new Promise((resolve) => {
    scheduler.after(ms, () => gate.enter(resolve));
  });
}

/** What becomes of what a process waited for when it died. */
export function never<T>(): Promise<T> {
  return new Promise(() => {});
}
