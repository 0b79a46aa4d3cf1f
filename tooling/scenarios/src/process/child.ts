import { writeSync } from 'node:fs';
import { closeOnSignal, type TimeToLive } from '@agent-state/core';
import { createGate } from '../agent.ts';
import { openStore } from '../open-store.ts';
import { openLedger } from './ledger.ts';
import type { ScenarioName } from './scenarios.ts';
import { startWorld } from './world.ts';

/** What a child is told to do. */
export interface Order {
  readonly scenario: ScenarioName;
  readonly threadId: string;
  /** The ledger's file. */
  readonly ledger: string;
  readonly begin: 'play' | 'resume';
  /** Where it dies: at this point, or at the first of this name. */
  readonly killAt?: number | string;
  /** Whether each call waits until it is released by name. */
  readonly holds?: boolean;
  /** How long its runs have when it is asked to terminate. */
  readonly graceMs?: number;
  readonly ttl?: TimeToLive;
}

export type ToChild = Order | { readonly release: string };
export type FromChild = 'ready' | { readonly holding: string };

const [, , store = '', url = ''] = process.argv;
const checkpointer = await openStore(store, url);
// Connected, and its code is loaded: what follows is the run alone.
await checkpointer.load('nobody');

const gates = new Map<string, ReturnType<typeof createGate>>();
const gateOf = (call: string) => {
  const gate = gates.get(call) ?? createGate();
  gates.set(call, gate);
  return gate;
};
const tell = (message: FromChild): void => void process.send?.(message);

async function held(call: string): Promise<void> {
  tell({ holding: call });
  await gateOf(call).passed;
}

/** The last word of this process is where it died, or how it ended. */
const say = (word: string): void => void writeSync(1, word);

function dyingAt(killAt: Order['killAt']): (point: string) => void {
  let points = 0;
  return (point) => {
    points += 1;
    if (killAt !== points && killAt !== point) return;
    say(point);
    process.kill(process.pid, 'SIGKILL');
  };
}

async function obey({ scenario, threadId, ledger, begin, killAt, holds, graceMs, ttl }: Order): Promise<void> {
  const world = startWorld(checkpointer, {
    scenario,
    threadId,
    ledger: openLedger(ledger),
    at: dyingAt(killAt),
    agents: { ttl },
    ...(holds ? { held } : {}),
  });
  if (graceMs !== undefined) closeOnSignal(world.factory, { deadlineMs: graceMs });
  try {
    await world[begin]();
    say('ended');
  } catch (error) {
    say((error as { code?: string }).code ?? String(error));
  }
  if (graceMs !== undefined) return;
  await checkpointer.close();
  process.disconnect();
}

process.on('message', (message: ToChild) => {
  if ('release' in message) gateOf(message.release).open();
  else void obey(message);
});
process.on('disconnect', () => process.exit());
tell('ready');
