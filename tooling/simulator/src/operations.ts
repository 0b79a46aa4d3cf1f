import { type AgentService, isAgentStateError, type RunOptions, type RunResult } from '@agent-state/core';
import type { Machine, Process, Turn } from './process.ts';
import type { World } from './world.ts';

/** What a run or a resume may be told; anything else is a fault of the product. */
const expected = new Set([
  'taken_over',
  'busy',
  'deleted',
  'aborted',
  'model',
  'paused',
  'superseded',
  'closed',
  'not_found',
  'max_attempts',
  'max_iterations',
  'unavailable',
]);

/** What the caller is told: a status or a code. */
export type Told = string;

export interface Input {
  readonly threadId: string;
  readonly inputId: string;
  readonly options?: Omit<RunOptions, 'inputId'>;
}

/** Sends an input, and calls `then` with what it is told, unless the process dies before. */
export function run(world: World, machine: Machine, input: Input, then: (told: Told) => void = () => {}): void {
  const { process } = machine;
  const { threadId, inputId, options } = input;
  world.trace(`${process.id} run ${threadId} ${inputId}`);
  inTurn(world, process, { threadId, onBusy: options?.onBusy ?? 'wait' }, then, async (agent) => {
    const result = await agent.run(inputId, { ...options, inputId });
    if (process.gate.alive && result.status === 'done') world.ledger.promises.answered(process, inputId, result);
    return result;
  });
}

export function resume(world: World, machine: Machine, threadId: string, then: (told: Told) => void = () => {}): void {
  const { process } = machine;
  const onBusy = world.random.pick(['takeOver', 'wait'] as const);
  world.trace(`${process.id} resume ${threadId} ${onBusy}`);
  inTurn(world, process, { threadId, onBusy }, then, (agent) => agent.resume({ onBusy }));
}

/** Runs of a process on a thread come one after the other; the ledger is told when the turn of each has come. */
function inTurn(
  world: World,
  process: Process,
  turn: Turn & { readonly threadId: string },
  then: (told: Told) => void,
  job: (agent: AgentService) => Promise<RunResult>,
): void {
  const { gate, queued, id } = process;
  const { threadId } = turn;
  const { deletes } = world.ledger;
  const turns = queued.get(threadId) ?? [];
  queued.set(threadId, turns);
  turns.push(turn);
  if (turns.length === 1) deletes.began(process, threadId);
  const over = (told: Told): void => {
    if (!gate.alive) return;
    // Who gives up before his turn leaves the others theirs.
    turns.splice(turns.indexOf(turn), 1);
    if (turns.length > 0) deletes.began(process, threadId);
    world.trace(`${id} told ${threadId} ${told}`);
    then(told);
  };
  job(process.factory.create({ threadId })).then(
    (result) => over(result.status),
    (error: unknown) => over(codeOf(world, process, error)),
  );
}

export function codeOf(world: World, process: Process, error: unknown): Told {
  const code = isAgentStateError(error) ? error.code : 'unexpected';
  if (process.gate.alive && !expected.has(code)) world.broken('errors', `${process.id} was told ${String(error)}`);
  return code;
}
