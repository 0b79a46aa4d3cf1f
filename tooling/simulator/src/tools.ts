import type { AnyTool, Reconciled, Tool, ToolContext } from '@agent-state/core';
import { resume } from './operations.ts';
import type { Process } from './process.ts';
import { rest } from './rest.ts';
import { atBoundary, type World } from './world.ts';

const kinds: Readonly<Record<string, Partial<Tool>>> = {
  plain: {},
  look: { effect: 'read' },
  remember: {},
  nap: {},
  once: { effect: 'once' },
  once_ask: { effect: 'once', onUnknown: 'pause' },
  once_sure: { effect: 'once' },
  approved: { needsApproval: true },
  approved_once: { effect: 'once', needsApproval: true },
  killer: {},
};

/** Those that the model asks for; some worlds have one more, which kills its process. */
export const toolNames = [
  'plain',
  'look',
  'remember',
  'nap',
  'once',
  'once',
  'once_ask',
  'once_sure',
  'approved',
  'approved_once',
];

/** Tools whose effects are written down outside of the system. */
export function createTools(world: World, process: Process): readonly AnyTool[] {
  return Object.entries(kinds).map(([name, more]) => ({
    name,
    description: '',
    parameters: { type: 'object' },
    ...more,
    ...(name === 'once_sure' ? { reconcile: reconcileOf(world) } : {}),
    execute: (_: unknown, context: ToolContext) =>
      atBoundary(world, process, 'tool', () => work(world, process, name, context)),
  }));
}

async function work(world: World, process: Process, name: string, context: ToolContext): Promise<string> {
  const { ledger, random } = world;
  const { idempotencyKey: key, threadId, signal } = context;
  if (signal.aborted) throw signal.reason;
  ledger.started(process, { key, threadId, tool: name, once: name.startsWith('once') || name === 'approved_once' });
  if (name === 'killer') await kill(world, process, threadId);
  await rest(world, process, random.chance(0.3) ? random.next() * 20_000 : random.next() * 500);
  ledger.finished(key);
  if (name === 'remember') context.variables.set(`v${random.between(0, 3)}`, key);
  if (name === 'nap') context.pause({ wakeAt: new Date(Date.UTC(2026, 10, 29) + world.scheduler.now() + 3_000) });
  return `real ${key}`;
}

/** It comes again with every attempt, until somebody gives up. */
async function kill(world: World, process: Process, threadId: string): Promise<void> {
  await rest(world, process, world.random.next() * 20);
  if (world.weather.healed) return;
  world.crash(process.machine);
  world.later(50 + world.random.next() * 2_000, () => resume(world, world.random.pick(world.machines), threadId));
  await rest(world, process, 1);
}

/** What the other side of the effect says of it. */
function reconcileOf({ ledger }: World) {
  return (_: unknown, { idempotencyKey }: Pick<ToolContext, 'idempotencyKey'>): Reconciled => {
    if (ledger.isFinished(idempotencyKey)) return { outcome: 'done', result: `real ${idempotencyKey}` };
    return { outcome: ledger.hasStarted(idempotencyKey) ? 'unknown' : 'not_done' };
  };
}
