import type { Core } from './core.ts';
import type { Weather } from './faults.ts';
import { createLedger } from './ledger.ts';
import type { Mode } from './modes.ts';
import type { Machine, Process } from './process.ts';
import { createRandom } from './random.ts';
import type { Broken, Scene, Writer } from './scene.ts';
import { createScheduler } from './scheduler.ts';
import { createMachine, startProcess } from './start-process.ts';
import { noStats } from './stats.ts';
import { createTrueStore, type StoreRules, type StoreWatch } from './store.ts';
import type { World } from './world.ts';

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
  const brokenRules: Broken[] = [];
  const onSaved: World['onSaved'] = [];
  const watch: StoreWatch<Writer> = {
    saved(threadId, before, after, write, writer) {
      ledger.saved(threadId, before, after, write, writer);
      for (const hear of onSaved) hear(threadId, after, writer);
    },
    buried: (...buried) => ledger.buried(...buried),
  };
  const weather: Weather = { failing: random.pick([0, 0.05, 0.15, 0.35]), downUntil: 0, healed: false };
  const scene: Scene = {
    scheduler,
    policy: random.pick(['volatile', 'volatile', 'volatile', 'volatile', 'wait', 'throw']),
    store: createTrueStore<Writer>(watch, storeRules),
    stats: noStats(),
    tainted: new Set(),
    trace: trace ? (line) => trace(`${stamp()} ${line}`) : () => {},
    broken(rule, what) {
      brokenRules.push({ rule, what, at: scheduler.now() });
      scene.trace(`!!!! ${rule}: ${what}`);
    },
  };
  const ledger = createLedger(scene);
  const world: World = {
    ...scene,
    seed,
    mode,
    core,
    random,
    weather,
    ledger,
    machines: [],
    brokenRules,
    onCrash: [],
    onSaved,
    later: (ms, run) => void scheduler.after(ms, run),
    crash: (machine) => crash(world, machine),
    boundary: (process, what, go) => boundary(world, process, what, go),
  };
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
