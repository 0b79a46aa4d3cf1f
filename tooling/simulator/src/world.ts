import type { Core } from './core.ts';
import type { Weather } from './faults.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { Mode } from './modes.ts';
import { createMachine, type Machine, type Process, startProcess } from './process.ts';
import { createRandom, type Random } from './random.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { noStats, type Stats } from './stats.ts';
import { createTrueStore, type Stored, type StoreRules, type TrueStore } from './store.ts';

/** Who wrote: an agent of a process, or somebody through `threads`. */
export interface Writer {
  readonly process: Process;
  /** Undefined: the agent. */
  readonly asked: Asked | undefined;
}

/** One use of `threads`, and what came of it in the store. */
export interface Asked {
  readonly kind: 'decide' | 'propose' | 'pause' | 'cancel' | 'rewrite' | 'fork' | 'delete';
  readonly threadId: string;
  /** What of it was stored. */
  readonly landed: Landed[];
}

export interface Landed {
  readonly at: number;
  readonly runId: string;
  readonly born: string;
  readonly claim: string;
}

export interface Broken {
  readonly rule: string;
  readonly what: string;
  readonly at: number;
}

export interface World {
  readonly seed: number;
  readonly mode: Mode;
  readonly core: Core;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly weather: Weather;
  /** What the agents do when the store is down. */
  readonly policy: 'volatile' | 'wait' | 'throw';
  readonly store: TrueStore<Writer>;
  readonly ledger: Ledger;
  readonly machines: Machine[];
  readonly stats: Stats;
  readonly brokenRules: Broken[];
  /** Threads that the store itself lost something of. */
  readonly tainted: Set<string>;
  trace(line: string): void;
  broken(rule: string, what: string): void;
  later(ms: number, run: () => void): void;
  crash(machine: Machine): void;
  /** Heard of each death, by who wants to start something again. */
  readonly onCrash: ((machine: Machine, dead: Process) => void)[];
  /** Hears of each write that was stored. */
  readonly onSaved: ((threadId: string, after: Stored, writer: Writer) => void)[];
  /** A process does something that others can see: here it may die, before or after. */
  boundary(process: Process, what: string, go: () => void): void;
}

export interface WorldOptions {
  readonly seed: number;
  readonly mode: Mode;
  readonly core: Core;
  readonly trace?: ((line: string) => void) | undefined;
  readonly storeRules?: StoreRules | undefined;
}

export function createWorld({ seed, mode, core, trace, storeRules }: WorldOptions): World {
  const scheduler = createScheduler();
  const random = createRandom(seed);
  const stamp = () => scheduler.now().toFixed(0).padStart(7);
  const watch = {
    saved: (...saved: Parameters<Ledger['saved']>) => world.ledger.saved(...saved),
    buried: (...buried: Parameters<Ledger['buried']>) => world.ledger.buried(...buried),
  };
  const world: World = {
    seed,
    mode,
    core,
    scheduler,
    random,
    weather: { failing: random.pick([0, 0.05, 0.15, 0.35]), downUntil: 0, healed: false },
    policy: random.pick(['volatile', 'volatile', 'volatile', 'volatile', 'wait', 'throw']),
    store: createTrueStore<Writer>(watch, storeRules),
    ledger: undefined as unknown as Ledger,
    machines: [],
    stats: noStats(),
    brokenRules: [],
    tainted: new Set(),
    onCrash: [],
    onSaved: [],
    trace: trace ? (line) => trace(`${stamp()} ${line}`) : () => {},
    broken(rule, what) {
      world.brokenRules.push({ rule, what, at: scheduler.now() });
      world.trace(`!!!! ${rule}: ${what}`);
    },
    later: (ms, run) => void scheduler.after(ms, run),
    crash: (machine) => crash(world, machine),
    boundary: (process, what, go) => boundary(world, process, what, go),
  };
  Object.assign(world, { ledger: createLedger(world) });
  for (let left = random.between(2, 4); left > 0; left -= 1) addMachine(world, `P${world.machines.length + 1}`);
  return world;
}

export function addMachine(world: World, name: string): Machine {
  const machine = createMachine(world, name);
  world.machines.push(machine);
  return machine;
}

function crash(world: World, machine: Machine): void {
  const dead = machine.process;
  dead.gate.kill();
  world.stats.crashes += 1;
  world.trace(`CRASH ${dead.id}`);
  machine.process = startProcess(world, machine);
  for (const hear of world.onCrash) hear(machine, dead);
}

function boundary(world: World, process: Process, what: string, go: () => void): void {
  const { gate, machine } = process;
  if (!gate.alive) return;
  const dies = machine.process === process && machine.doom !== undefined && --machine.doom <= 0;
  if (dies) world.trace(`${process.id} dies at ${what}`);
  if (!dies || world.random.chance(0.5)) go();
  if (dies && gate.alive) crash(world, machine);
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
