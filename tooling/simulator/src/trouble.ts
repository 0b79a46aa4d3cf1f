import { deleteBehind } from './aim.ts';
import { restart } from './closing.ts';
import { resume } from './operations.ts';
import { newInput, type Plan } from './plan.ts';
import type { Machine } from './process.ts';
import type { World } from './world.ts';

/** What goes wrong with processes and with the way to the store. */
export function planTrouble(world: World, plan: Plan): void {
  const { random, machines, weather, scheduler } = world;
  const { troubleMs } = plan;
  const some = (most: number, happens: (machine: Machine) => void) => {
    for (let count = random.between(0, most); count > 0; count -= 1) {
      const machine = random.pick(machines);
      world.later(random.next() * troubleMs, () => happens(machine));
    }
  };
  some(3, (machine) => world.crash(machine));
  some(3, (machine) => {
    machine.doom = random.between(1, 8);
  });
  some(1, (machine) => restart(world, machine));
  some(3, (machine) => freeze(world, machine));
  some(2, () => {
    weather.downUntil = scheduler.now() + random.next() * 25_000;
    world.trace(`STORE DOWN until ${weather.downUntil.toFixed(0)}`);
  });
  some(2, (machine) => {
    machine.cutOffUntil = scheduler.now() + random.next() * 35_000;
    world.trace(`CUT OFF ${machine.name} until ${machine.cutOffUntil.toFixed(0)}`);
    const threadId = random.pick(plan.threadIds);
    if (random.chance(0.15)) deleteBehind(world, machine, threadId, newInput(plan, threadId));
  });
  world.onCrash.push((machine) => {
    if (weather.healed || !random.chance(0.7)) return;
    world.later(random.next() * 15_000, () => resume(world, machine, random.pick(plan.threadIds)));
  });
}

function freeze(world: World, { process }: Machine): void {
  const { random } = world;
  if (process.gate.frozen) return;
  world.stats.freezes += 1;
  world.trace(`FREEZE ${process.id}`);
  process.gate.freeze();
  world.later(random.next() * (random.chance(0.5) ? 3_000 : 50_000), () => thaw(world, process));
}

export function thaw(world: World, { gate, id }: Machine['process']): void {
  if (!gate.frozen || !gate.alive) return;
  world.trace(`THAW ${id}`);
  gate.thaw();
}
