import type { AgentEvent } from '@agent-state/core';
import type { Asked } from './asked.ts';
import { clientOf } from './client.ts';
import { createGate, runtimeOf } from './gate.ts';
import { createModel } from './model.ts';
import type { Machine, Process } from './process.ts';
import { createTools } from './tools.ts';
import type { World } from './world.ts';

const quiet = { info() {}, warn() {}, error() {} };

export function createMachine(world: World, name: string): Machine {
  const machine = { name, starts: 0, cutOffUntil: 0, doom: undefined } as Omit<Machine, 'process'> as Machine;
  machine.process = startProcess(world, machine);
  return machine;
}

export function startProcess(world: World, machine: Machine): Process {
  machine.starts += 1;
  machine.doom = undefined;
  const { scheduler, random, core } = world;
  const id = `${machine.name}.${machine.starts}`;
  const gate = createGate(scheduler);
  const runtime = runtimeOf({ scheduler, random }, gate, id, random.between(-60_000, 60_000));
  const process = {
    id,
    machine,
    gate,
    wasVolatile: new Set<string>(),
    diverged: new Set<string>(),
    closed: false,
    closing: false,
    readAt: new Map(),
    queued: new Map(),
  } as Omit<Process, 'factory' | 'threads'> as Process;
  const tools = createTools(world, process);
  const factory = core.createAgentFactory({
    profiles: {
      bot: {
        name: 'bot',
        systemPrompt: 'Be kind.',
        tools: tools.map((tool) => tool.name),
        maxIterations: 20,
        maxExecutionTimeSeconds: 100_000,
      },
    },
    defaultProfile: 'bot',
    models: { model: createModel(world, process) },
    defaultModel: 'model',
    tools,
    checkpointer: core.defineCheckpointer(clientOf(world, process), runtime),
    runtime,
    onStoreDown: world.policy,
    logger: quiet,
    onEvent: (event) => notice(world, process, event),
  });
  const threads = (asked: Asked) =>
    core.createThreads(core.defineCheckpointer(clientOf(world, process, asked), runtime), { runtime });
  return Object.assign(process, { factory, threads });
}

function notice(world: World, process: Process, event: AgentEvent): void {
  if (!process.gate.alive) return;
  const { type, threadId } = event;
  if (type !== 'tool_started' && type !== 'acted') world.trace(`${process.id} ${type} ${threadId}${codeOf(event)}`);
  if (type === 'volatile') {
    process.wasVolatile.add(threadId);
    world.ledger.read(process, threadId);
  }
  if (type === 'run_ended' && event.code === 'taken_over') {
    world.stats.takenOver += 1;
    assertTaken(world, process, threadId);
  }
  if (type !== 'diverged') return;
  world.stats.forks += 1;
  process.diverged.add(threadId);
  assertMayFork(world, process, threadId);
}

function codeOf(event: AgentEvent): string {
  if ('code' in event) return ` ${event.code}`;
  return 'forkId' in event ? ` ${event.forkId}` : '';
}

/**
 * Without an answer for so long, it is not known whether anything is missing in the store. A read is given up after two
 * seconds; another one of the same process may have been answered a little after that one began.
 */
const silenceMs = 1_900;

/** Only steps that no store has may be forked, or those of a store that lost some, or that does not answer. */
function assertMayFork(world: World, process: Process, threadId: string): void {
  if (world.scheduler.now() - (process.readAt.get(threadId) ?? 0) > silenceMs) return;
  if (process.wasVolatile.has(threadId) || world.tainted.has(threadId)) return;
  world.broken('forks', `${process.id} forked ${threadId}, and had nothing that is not stored`);
}

/** Whoever is told that the thread was taken over does not own it any more. */
function assertTaken(world: World, process: Process, threadId: string): void {
  const { store, ledger, tainted } = world;
  const claim = ledger.landings.lastClaim(process, threadId);
  if (tainted.has(threadId) || claim === undefined || process.diverged.has(threadId)) return;
  if (store.records.get(threadId)?.state.run?.claim !== claim) return;
  world.broken('take-overs', `${process.id} was told that ${threadId} was taken over, and nobody did`);
}
