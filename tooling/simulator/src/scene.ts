import type { Asked } from './asked.ts';
import type { Process } from './process.ts';
import type { Scheduler } from './scheduler.ts';
import type { Stats } from './stats.ts';
import type { TrueStore } from './store.ts';

/** Who wrote: an agent of a process, or somebody through `threads`. */
export interface Writer {
  readonly process: Process;
  /** Undefined: the agent. */
  readonly asked: Asked | undefined;
}

export interface Broken {
  readonly rule: string;
  readonly what: string;
  readonly at: number;
}

/** What of a world its ledger looks at, and where it notes what it finds; nothing in it acts. */
export interface Scene {
  readonly scheduler: Scheduler;
  /** What the agents do when the store is down. */
  readonly policy: 'volatile' | 'wait' | 'throw';
  readonly store: TrueStore<Writer>;
  readonly stats: Stats;
  /** Threads that the store itself lost something of. */
  readonly tainted: Set<string>;
  trace(line: string): void;
  broken(rule: string, what: string): void;
}
