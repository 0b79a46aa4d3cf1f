import { type CallDecision, isAgentStateError, type OpenCall, type Threads } from '@agent-state/core';
import type { Asked } from './asked.ts';
import { codeOf } from './operations.ts';
import type { Machine } from './process.ts';
import type { World } from './world.ts';

type Job<T> = (threads: Threads) => Promise<T>;

/** Asks something of a thread through a machine; `then` hears what is said, unless the process dies before. */
async function ask<T>(
  world: World,
  { process }: Machine,
  asked: Asked,
  job: Job<T>,
  then: (answer: T) => void,
): Promise<void> {
  world.trace(`${process.id} ${asked.kind} ${asked.threadId}`);
  try {
    const answer = await job(process.threads(asked));
    if (!process.gate.alive) return;
    world.trace(`${process.id} told ${asked.kind} ${asked.threadId} ${JSON.stringify(answer)}`);
    then(answer);
  } catch (error) {
    if (!process.gate.alive) return;
    world.trace(`${process.id} told ${asked.kind} ${asked.threadId} ${String(error)}`);
    if (!isRefusal(error)) codeOf(world, process, error);
    assertNotStored(world, asked, error);
  }
}

/** Who decides or proposes may come too late; a rewrite, a fork or a delete may meet others again and again. */
function isRefusal(error: unknown): boolean {
  return isAgentStateError(error, 'invalid_argument') || isAgentStateError(error, 'conflict');
}

/** Somebody whose request is stored is not told that it was refused. */
function assertNotStored(world: World, asked: Asked, error: unknown): void {
  const { kind, threadId, landed } = asked;
  const unsure = isAgentStateError(error, 'unavailable') || kind === 'rewrite' || kind === 'fork' || kind === 'delete';
  if (unsure || landed.length === 0 || world.tainted.has(threadId) || world.ledger.deletes.tried.has(threadId)) return;
  world.broken('requests', `a ${kind} of ${threadId} is stored, and its caller was told ${String(error)}`);
}

const asking = (kind: Asked['kind'], threadId: string): Asked => ({ kind, threadId, landed: [] });

export function decide(
  world: World,
  machine: Machine,
  threadId: string,
  call: WaitingCall,
  decision: CallDecision,
): void {
  const asked = asking('decide', threadId);
  const job: Job<{ counted: boolean }> = (threads) => threads.decide(threadId, keyToDecide(call), decision);
  void ask(world, machine, asked, job, ({ counted }) => {
    if (counted) world.ledger.promises.decided(asked, call.key, decision.verdict);
  });
}

type WaitingCall = Pick<OpenCall, 'key' | 'waits_for'>;

/** As `threads.pending` tells it. */
function keyToDecide({ key, waits_for }: WaitingCall): string {
  return waits_for === 'outcome' ? `${key}.outcome` : key;
}

export function propose(world: World, machine: Machine, threadId: string, key: string): void {
  const args = { dice: world.random.between(0, 1_000) };
  void ask(
    world,
    machine,
    asking('propose', threadId),
    (threads) => threads.propose(threadId, key, args),
    () => {},
  );
}

export function cancel(world: World, machine: Machine, threadId: string): void {
  const asked = asking('cancel', threadId);
  void ask(
    world,
    machine,
    asked,
    (threads) => threads.cancel(threadId),
    (done) => {
      if (done) world.ledger.promises.cancelled(asked);
    },
  );
}

export function pause(world: World, machine: Machine, threadId: string): void {
  void ask(
    world,
    machine,
    asking('pause', threadId),
    (threads) => threads.pause(threadId),
    (done) => {
      if (done) world.stats.pauses += 1;
    },
  );
}

/** Of the history, what begins with one of its inputs is kept. */
export function rewrite(world: World, machine: Machine, threadId: string): void {
  const dice = world.random.next();
  const job: Job<void> = (threads) =>
    threads.rewrite(threadId, (history) => {
      const inputs = [...history.keys()].filter((index) => history[index]?.role === 'user');
      const from = inputs[Math.floor(dice * inputs.length)] ?? 0;
      return history.filter(({ role }, index) => role === 'system' || index >= from);
    });
  void ask(world, machine, asking('rewrite', threadId), job, () => {
    world.stats.rewrites += 1;
  });
}

export function fork(world: World, machine: Machine, threadId: string): void {
  void ask(
    world,
    machine,
    asking('fork', threadId),
    (threads) => threads.fork(threadId),
    () => {
      world.stats.forks += 1;
    },
  );
}

export function remove(world: World, machine: Machine, threadId: string, then: () => void): void {
  const asked = asking('delete', threadId);
  world.ledger.deletes.tried.add(threadId);
  void ask(
    world,
    machine,
    asked,
    (threads) => threads.delete(threadId),
    () => {
      world.stats.deletes += 1;
      world.ledger.deletes.acknowledged(asked);
      then();
    },
  );
}
