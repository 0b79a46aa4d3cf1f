import type { Core } from './core.ts';
import type { Weather } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Mode } from './modes.ts';
import type { Machine, Process } from './process.ts';
import type { Random } from './random.ts';
import type { Broken, Scene, Writer } from './scene.ts';
import type { Stored } from './store.ts';

export interface World extends Scene {
  readonly seed: number;
  readonly mode: Mode;
  readonly core: Core;
  readonly random: Random;
  readonly weather: Weather;
  readonly ledger: Ledger;
  readonly machines: Machine[];
  readonly brokenRules: Broken[];
  later(ms: number, run: () => void): void;
  crash(machine: Machine): void;
  /** Heard of each death, by who wants to start something again. */
  readonly onCrash: ((machine: Machine, dead: Process) => void)[];
  /** Hears of each write that was stored. */
  readonly onSaved: ((threadId: string, after: Stored, writer: Writer) => void)[];
  /** A process does something that others can see: here it may die, before or after. */
  boundary(process: Process, what: string, go: () => void): void;
}

/** The same for what is waited for; who has died or is frozen does not begin it, or later. */
export function atBoundary<T>(world: World, process: Process, what: string, job: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    world.boundary(process, what, () => process.gate.enter(() => void job().then(resolve, reject)));
  });
}

export function recordOf({ store }: World, threadId: string): Stored | undefined {
  return store.records.get(threadId);
}
