import type { CallDecision, OpenCall } from '@agent-state/core';
import { decide } from './asking.ts';
import { addMachine } from './create-world.ts';
import { resume, run } from './operations.ts';
import { waitingCalls } from './operators.ts';
import type { Plan } from './plan.ts';
import type { Machine } from './process.ts';
import { thaw } from './trouble.ts';
import { recordOf, type World } from './world.ts';

/** The store is well again and nothing freezes or dies any more: everything that was under way ends. */
export async function heal(world: World, { troubleMs }: Plan): Promise<void> {
  const { scheduler, weather, machines } = world;
  await scheduler.passTo(troubleMs + 1_000);
  world.trace('HEALED');
  weather.healed = true;
  for (const machine of machines) {
    machine.cutOffUntil = 0;
    machine.doom = undefined;
    thaw(world, machine.process);
  }
  await scheduler.passTo(troubleMs + 151_000);
}

/** A process that knows nothing of what was goes on with each thread, until it answers one more input. */
export async function goOn(world: World, { threadIds }: Plan): Promise<void> {
  const { scheduler } = world;
  const fresh = addMachine(world, 'P9');
  const answered = new Set<string>();
  for (const threadId of threadIds) settle(world, fresh, threadId, 20, () => answered.add(threadId));
  await scheduler.passTo(scheduler.now() + 600_000);
  for (const threadId of threadIds) {
    if (!answered.has(threadId)) world.broken('stuck', `${threadId} does not answer any more`);
  }
}

/** Whatever waits for a person is decided; what is paused is resumed. */
function settle(world: World, fresh: Machine, threadId: string, tries: number, answered: () => void): void {
  const again = (ms: number) => world.later(ms, () => settle(world, fresh, threadId, tries - 1, answered));
  if (tries === 0) return;
  const record = recordOf(world, threadId);
  if (record?.state.run?.phase !== 'paused') {
    run(world, fresh, { threadId, inputId: `${threadId}-last`, options: { retry: true } }, (told) => {
      if (told === 'done') answered();
      else again(500);
    });
    return;
  }
  // Calls that are only settled take no decision.
  const calls = record.state.run.settle === null ? waitingCalls(world, threadId) : [];
  for (const call of calls) decide(world, fresh, threadId, call, lastDecisionOn(call));
  if (calls.length > 0) again(500);
  else resume(world, fresh, threadId, () => again(100));
}

function lastDecisionOn({ waits_for }: OpenCall): CallDecision {
  return waits_for === 'outcome' ? { verdict: 'answer', result: 'by hand' } : { verdict: 'approve' };
}

/** Every process that lives lets go of everything. */
export async function closeAll(world: World, { threadIds }: Plan): Promise<void> {
  const { scheduler, machines } = world;
  for (const { process } of machines) {
    for (const threadId of threadIds) {
      const status = process.factory.create({ threadId }).status();
      if (status.durable && !status.running && !status.volatile) continue;
      world.broken('held', `${process.id} still holds ${threadId}: ${JSON.stringify(status)}`);
    }
    void process.factory.close().then(({ unsaved }) => {
      for (const { threadId } of unsaved) world.broken('held', `${process.id} could not store ${threadId}`);
    });
  }
  await scheduler.passTo(scheduler.now() + 10_000);
}
