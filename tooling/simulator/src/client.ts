import type { CheckpointStore, SaveOutcome } from '@agent-state/core';
import type { Asked } from './asked.ts';
import { type Fate, fateOf, isUnknown, outage } from './faults.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

const capabilities = {
  conditional: true,
  tombstones: true,
  appends: true,
  steps: true,
  list: false,
  query: false,
  durable: true,
  ttlResolutionMs: 1,
  maxStateBytes: Number.POSITIVE_INFINITY,
  maxMessageBytes: 1_000_000,
};

type Kind = 'load' | 'peek' | 'save' | 'bury' | 'steps';

/** How a process reaches the store: over a network, on which each call meets its fate. */
export function clientOf(world: World, process: Process, asked?: Asked): CheckpointStore {
  const { store, ledger } = world;
  const writer = { process, asked };
  // A look that was under way when it closed may still be repeated; nothing more is written.
  const assertOpen = (kind: Kind, threadId: string) => {
    if (!asked && process.closed && kind === 'save')
      world.broken('closing', `${process.id} is closed, and asks for a ${kind} of ${threadId}`);
  };
  const call = <T>(kind: Kind, threadId: string, apply: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      assertOpen(kind, threadId);
      world.boundary(process, kind, () => {
        process.gate.enter(() => send(world, process, kind, { threadId, apply, resolve, reject }));
      });
    });
  const read = async <T>(kind: Kind, threadId: string, apply: () => T): Promise<T> => {
    const found = await call(kind, threadId, apply);
    process.readAt.set(threadId, world.scheduler.now());
    if (!asked) ledger.read(process, threadId);
    return found;
  };
  return {
    name: 'world',
    capabilities,
    load: (threadId) => read('load', threadId, () => store.load(threadId)),
    peek: (threadId) => read('peek', threadId, () => store.peek(threadId)),
    save: (threadId, write) => call<SaveOutcome>('save', threadId, () => store.save(threadId, write, writer)),
    bury: (threadId, burial) => call('bury', threadId, () => store.bury(threadId, burial, writer)),
    steps: (threadId, { from, limit }) => call('steps', threadId, () => store.steps(threadId, from, limit)),
    async close() {},
  };
}

interface Call<T> {
  readonly threadId: string;
  readonly apply: () => T;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** What was sent arrives, whatever becomes of its sender. */
function send<T>(world: World, { gate, machine, id }: Process, kind: Kind, call: Call<T>): void {
  const { scheduler, random, weather, stats } = world;
  const writes = kind === 'save' || kind === 'bury';
  const now = scheduler.now();
  const fate = fateOf(random, weather, now < weather.downUntil || now < machine.cutOffUntil, writes);
  const there = random.next() * 15;
  const back = random.next() * 15;
  if (writes && isUnknown(fate)) stats.unknown += 1;
  if (fate !== 'fine') world.trace(`${id} ${kind} ${call.threadId} ${fate}`);
  const answer = (ms: number, give: () => void) => scheduler.after(ms, () => gate.enter(give));
  if (isDone(fate)) {
    const delay = fate === 'late' ? 100 + random.next() ** 2 * 40_000 : there;
    scheduler.after(delay, () => {
      const value = call.apply();
      if (fate === 'fine') answer(back, () => call.resolve(value));
    });
  }
  if (fate === 'refused') answer(there + back, () => call.reject(outage('no')));
  if (fate === 'applied' || fate === 'lost') answer(there + back, () => call.reject(outage('maybe')));
}

const isDone = (fate: Fate): boolean => fate !== 'refused' && fate !== 'lost' && fate !== 'hangs';
