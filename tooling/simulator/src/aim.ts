import { cancel, pause, remove } from './asking.ts';
import { resume, run } from './operations.ts';
import type { Machine } from './process.ts';
import type { Writer } from './scene.ts';
import type { Stored } from './store.ts';
import type { World } from './world.ts';

/** Moments at which something else has to happen to show a fault: by chance alone they would be met too seldom. */
export function aim(world: World): void {
  if (world.random.chance(0.5)) world.onSaved.push((threadId, after, writer) => meet(world, threadId, after, writer));
}

function meet(world: World, threadId: string, { control, state }: Stored, { process, asked }: Writer): void {
  const { random, machines, weather } = world;
  if (weather.healed || !state.run || threadId.includes('~')) return;
  const soon = (ms: number, happens: (machine: Machine) => void) =>
    world.later(random.next() * ms, () => {
      if (!weather.healed) happens(random.pick(machines));
    });
  const { pending_inputs, claim } = state.run;
  // An input waits for open calls: their owner dies.
  if (pending_inputs.length > 0 && random.chance(0.12))
    soon(120, () => process.gate.alive && world.crash(process.machine));
  // A thread was just claimed: somebody else asks something of it, or takes it.
  if (claim === control.etag && random.chance(0.08)) {
    const happens = random.pick([cancel, pause, resume]);
    soon(300, (machine) => happens(world, machine, threadId));
  }
  // A request was just stored: somebody goes on at once, while its sender may not know.
  if (asked && random.chance(0.15)) soon(10, (machine) => resume(world, machine, threadId));
}

/** A machine that cannot reach the store begins a run, and meanwhile the thread is deleted. */
export function deleteBehind(world: World, cutOff: Machine, threadId: string, inputId: string): void {
  const { random, machines } = world;
  world.later(random.next() * 2_000, () => run(world, cutOff, { threadId, inputId }));
  const other = random.pick(machines);
  if (other !== cutOff) world.later(random.next() * 12_000, () => remove(world, other, threadId, () => {}));
}
