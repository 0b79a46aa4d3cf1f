import { assertCheckpointer } from '../protocol/assert-checkpointer.ts';
import type { Checkpointer } from '../protocol/checkpointer.ts';
import { assertKnown, assertTime, type KnownOptions } from '../protocol/options.ts';
import { type Runtime, systemRuntime } from '../protocol/runtime.ts';
import { chanceOf, type FaultRates } from './chance.ts';
import { type Fault, type FaultKind, type FaultyCall, faultNames, kindOf } from './fault.ts';
import { createHeld } from './held.ts';
import { assertCall, assertFault, assertOutage } from './known.ts';
import { createPast } from './past.ts';
import { suffer } from './suffer.ts';
import { takenNow } from './taken.ts';

export interface FaultyOptions {
  /** Faults by chance: how likely each is for any call, from 0 to 1. */
  readonly rates?: FaultRates;
  /** The same seed and the same calls of a thread meet the same faults; default: one drawn, see `seed`. */
  readonly seed?: number;
  /** How long `slow` takes, and `slow` and `late` by chance at most; default 1,000. */
  readonly longestMs?: number;
  readonly runtime?: Runtime;
}

const known: KnownOptions<FaultyOptions> = { rates: true, seed: true, longestMs: true, runtime: true };

/** A checkpointer in which a test decides what goes wrong. */
export interface FaultyCheckpointer extends Checkpointer {
  /** The next calls of this kind that have no fault yet meet these, one each. They come before those by chance. */
  next(call: FaultyCall, ...faults: readonly (Fault | 'fine')[]): void;
  /** Every call is refused, or hangs, until `up`. What is scripted waits. */
  down(how?: 'refused' | 'hangs'): void;
  up(): void;
  /** Does what `late` held back; whether each of it was admitted. */
  land(): Promise<boolean[]>;
  /** Puts the store back by so many saves (1 by default); false where no such save of this thread went through here. */
  rollBack(threadId: string, saves?: number): Promise<boolean>;
  /** Every call, whatever became of it. */
  readonly calls: { readonly call: FaultyCall; readonly threadId: string }[];
  /** How often each fault was met. */
  readonly injected: Readonly<Record<FaultKind, number>>;
  /** That of the faults by chance, to get them again; it stands in the errors' messages too. */
  readonly seed: number | undefined;
  /** How often the core gave up a call and asked for a new client. */
  readonly resets: number;
}

/**
 * Wraps a checkpointer so that its calls meet faults: scripted ones by `next`, an outage by `down`, others by chance
 * with `rates` and `seed`. Without any of these it does what `inner` does.
 */
export function createFaultyCheckpointer(inner: Checkpointer, options: FaultyOptions = {}): FaultyCheckpointer {
  assertCheckpointer(inner);
  assertKnown(options, known);
  const { runtime = systemRuntime, longestMs = 1_000, rates } = options;
  assertTime(longestMs, 'longestMs');
  const seed = rates === undefined ? undefined : (options.seed ?? Math.floor(runtime.random() * 2 ** 32));
  const chance = rates === undefined || seed === undefined ? () => undefined : chanceOf(seed, rates, longestMs);
  const scripted = new Map<FaultyCall, (Fault | 'fine')[]>();
  const injected = noneYet();
  const calls: FaultyCheckpointer['calls'] = [];
  const held = createHeld(runtime);
  const past = createPast(inner);
  let outage: 'refused' | 'hangs' | undefined;
  let resets = 0;

  const meet = <T>(call: FaultyCall, threadId: string, run: () => Promise<T>): Promise<T> => {
    calls.push({ call, threadId });
    const fault = outage ?? scripted.get(call)?.shift() ?? chance(call, threadId) ?? 'fine';
    if (fault === 'fine') return run();
    const kind = kindOf(fault);
    if (kind !== 'rolled_back') injected[kind] += 1;
    const which = seed === undefined ? `${call} ${calls.length}` : `${call} ${calls.length}, seed ${seed}`;
    const rollBack = async (saves: number) => {
      if (await past.rollBack(threadId, saves)) injected.rolled_back += 1;
    };
    return suffer(fault, { run, rollBack, held, runtime, longestMs, which });
  };

  return Object.freeze<FaultyCheckpointer>({
    name: inner.name,
    capabilities: inner.capabilities,
    load: (threadId) => meet('load', threadId, () => inner.load(threadId)),
    peek: (threadId) => meet('peek', threadId, () => inner.peek(threadId)),
    async save(threadId, write) {
      const taken = takenNow(write);
      return meet('save', threadId, () => past.save(threadId, taken));
    },
    delete: (threadId) => meet('delete', threadId, () => inner.delete(threadId)),
    steps: (threadId, which) => meet('steps', threadId, () => inner.steps(threadId, which)),
    list: (which) => meet('list', '', () => inner.list(which)),
    query: (query) => meet('query', '', () => inner.query(query)),
    reset() {
      resets += 1;
      inner.reset();
    },
    close: () => inner.close(),
    next(call, ...faults) {
      assertCall(call);
      for (const fault of faults) assertFault(fault);
      scripted.set(call, [...(scripted.get(call) ?? []), ...faults]);
    },
    down(how = 'refused') {
      assertOutage(how);
      outage = how;
    },
    up() {
      outage = undefined;
    },
    land: () => held.land(),
    rollBack: (threadId, saves = 1) => past.rollBack(threadId, saves),
    calls,
    injected,
    seed,
    get resets() {
      return resets;
    },
  });
}

function noneYet(): Record<FaultKind, number> {
  const kinds: readonly FaultKind[] = [...faultNames, 'error', 'event'];
  return Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<FaultKind, number>;
}
