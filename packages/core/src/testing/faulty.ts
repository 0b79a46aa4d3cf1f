import type { Checkpointer } from '../protocol/checkpointer.ts';
import { AgentStateError, type ErrorCode } from '../protocol/errors.ts';

type Call = 'load' | 'peek' | 'save';

/** What goes wrong with a call. */
export type Fault =
  /** The store cannot be reached. */
  | 'refused'
  /** Done, and the answer is lost. */
  | 'applied'
  /** The answer is lost, and nothing was done. */
  | 'lost'
  /** The answer is lost; it is done when `land` is called. */
  | 'late'
  /** Never answers, and does nothing. */
  | 'hangs'
  /** Never answers, but is done. */
  | 'hangs_applied'
  | { readonly code: ErrorCode }
  | { readonly throws: unknown }
  /** Something that happens just before the call, which then goes through. */
  | (() => Promise<unknown>);

export interface Faulty extends Checkpointer {
  /** The next call of this kind that has no fault yet meets this one. */
  next(call: Call, ...faults: readonly (Fault | 'fine')[]): void;
  /** Every call is refused, or hangs, until `up`. */
  down(how?: 'refused' | 'hangs'): void;
  up(): void;
  /** Does what was held back; whether each of it was admitted. */
  land(): Promise<boolean[]>;
  readonly calls: { readonly call: Call; readonly threadId: string }[];
  resets: number;
}

/** A checkpointer in which a test decides what goes wrong. */
export function createFaulty(inner: Checkpointer): Faulty {
  const planned: Record<Call, (Fault | 'fine')[]> = { load: [], peek: [], save: [] };
  const held: (() => Promise<unknown>)[] = [];
  const calls: Faulty['calls'] = [];
  let outage: 'refused' | 'hangs' | undefined;

  const meet = <T>(call: Call, threadId: string, run: () => Promise<T>): Promise<T> => {
    calls.push({ call, threadId });
    const fault = outage ?? planned[call].shift() ?? 'fine';
    return fault === 'fine' ? run() : suffer(fault, run, held);
  };

  const faulty: Faulty = {
    ...inner,
    load: (threadId) => meet('load', threadId, () => inner.load(threadId)),
    peek: (threadId) => meet('peek', threadId, () => inner.peek(threadId)),
    save: (threadId, write) => meet('save', threadId, () => inner.save(threadId, write)),
    reset() {
      faulty.resets += 1;
    },
    next: (call, ...faults) => void planned[call].push(...faults),
    down(how = 'refused') {
      outage = how;
    },
    up() {
      outage = undefined;
    },
    async land() {
      const outcomes = await Promise.allSettled(held.splice(0).map((run) => run()));
      return outcomes.map(({ status }) => status === 'fulfilled');
    },
    calls,
    resets: 0,
  };
  return faulty;
}

async function suffer<T>(fault: Fault, run: () => Promise<T>, held: (() => Promise<unknown>)[]): Promise<T> {
  if (typeof fault === 'function') {
    await fault();
    return run();
  }
  if (typeof fault === 'object') throw 'code' in fault ? new AgentStateError(fault.code, 'As scripted.') : fault.throws;
  if (fault === 'applied' || fault === 'hangs_applied') await run();
  if (fault === 'late') held.push(run);
  if (fault === 'hangs' || fault === 'hangs_applied') return new Promise<never>(() => {});
  throw new AgentStateError('unavailable', 'As scripted.', { applied: fault === 'refused' ? 'no' : 'maybe' });
}
