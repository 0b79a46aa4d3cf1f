import { cancel, fork, pause, remove, rewrite } from './asking.ts';
import { resume, run, type Told } from './operations.ts';
import { decideSomething } from './operators.ts';
import { newInput, type Plan } from './plan.ts';
import type { Machine } from './process.ts';
import type { World } from './world.ts';

type Kind = 'run' | 'again' | 'resume' | 'decide' | 'pause' | 'cancel' | 'delete' | 'fork' | 'rewrite';

/** What users do: now and then something, and sometimes much at a time. */
export function planUsers(world: World, plan: Plan): void {
  const { random, machines } = world;
  const deletes = random.pick([0, 0, 2, 4]);
  const rewrites = world.mode === 'rewrite' ? 4 : 0;
  const kinds: Kind[] = [
    ...Array<Kind>(7).fill('run'),
    ...Array<Kind>(2).fill('again'),
    ...Array<Kind>(3).fill('resume'),
    ...Array<Kind>(3).fill('decide'),
    ...Array<Kind>(2).fill('pause'),
    ...Array<Kind>(2).fill('cancel'),
    'fork',
    ...Array<Kind>(deletes).fill('delete'),
    ...Array<Kind>(rewrites).fill('rewrite'),
  ];
  const at = (ms: number, threadId: string, kind: Kind) => {
    const machine = random.pick(machines);
    world.later(ms, () => operate(world, plan, kind, machine, threadId));
  };
  const some = () => random.next() * plan.troubleMs * 0.9;
  for (let count = random.between(1, 12); count > 0; count -= 1)
    at(some(), random.pick(plan.threadIds), random.pick(kinds));
  for (let bursts = random.between(0, 5); bursts > 0; bursts -= 1) {
    const start = some();
    const width = random.pick([20, 100, 600, 3_000]);
    const threadId = random.pick(plan.threadIds);
    const kind = random.chance(0.3) ? 'again' : undefined;
    for (let count = random.between(2, 5); count > 0; count -= 1) {
      at(start + random.next() * width, threadId, kind ?? random.pick(kinds));
    }
  }
}

function operate(world: World, plan: Plan, kind: Kind, machine: Machine, threadId: string): void {
  const happens: Record<Kind, () => void> = {
    run: () => send(world, machine, threadId, newInput(plan, threadId)),
    again: () => send(world, machine, threadId, knownInput(world, plan, threadId)),
    resume: () => resume(world, machine, threadId),
    decide: () => decideSomething(world, machine, threadId),
    pause: () => pause(world, machine, threadId),
    cancel: () => cancel(world, machine, threadId),
    delete: () => restart(world, plan, machine, threadId),
    fork: () => fork(world, machine, threadId),
    rewrite: () => rewrite(world, machine, threadId),
  };
  happens[kind]();
}

function knownInput({ random }: World, plan: Plan, threadId: string): string {
  const inputs = plan.inputs.get(threadId) ?? [];
  return inputs.length > 0 ? random.pick(inputs.slice(-3)) : newInput(plan, threadId);
}

/** Deleting a thread is how a conversation is begun again. */
function restart(world: World, plan: Plan, machine: Machine, threadId: string): void {
  remove(world, machine, threadId, () => {
    if (world.random.chance(0.7)) send(world, machine, threadId, newInput(plan, threadId));
  });
}

const worthAnotherTry = new Set(['taken_over', 'unavailable', 'busy', 'deleted', 'closed']);

/** A client sends its input; where its process dies or refuses, it often sends it again. */
function send(world: World, machine: Machine, threadId: string, inputId: string): void {
  const { random, weather } = world;
  const onPaused = random.chance(0.3) ? ('reject' as const) : ('throw' as const);
  const onBusy = random.pick(['wait', 'wait', 'wait', 'takeOver', 'throw'] as const);
  const options = { onPaused, onBusy, retry: random.chance(0.3) };
  const input = { threadId, inputId, options };
  const { process } = machine;
  const giveUp = new AbortController();
  if (random.chance(0.05)) world.later(random.next() * 10_000, () => process.gate.enter(() => giveUp.abort()));
  let open = true;
  const again = (ms: number) =>
    world.later(random.next() * ms, () => {
      if (!weather.healed) run(world, random.pick(world.machines), input);
    });
  world.onCrash.push((_, dead) => {
    if (open && dead === process && random.chance(0.5)) again(20_000);
  });
  run(world, machine, { ...input, options: { ...options, signal: giveUp.signal } }, (told: Told) => {
    open = false;
    if (worthAnotherTry.has(told) && random.chance(0.4)) again(3_000);
  });
}
