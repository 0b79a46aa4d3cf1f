import { AgentStateError } from '../protocol/errors.ts';
import { type Runtime, sleep } from '../protocol/runtime.ts';
import { type Fault, type FaultName, kindOf } from './fault.ts';
import type { Held } from './held.ts';

/** What a call is, and what a fault needs to befall it. */
export interface Call<T> {
  readonly run: () => Promise<T>;
  /** Puts the thread of this call back by so many saves. */
  readonly rollBack: (saves: number) => Promise<unknown>;
  readonly held: Held;
  readonly runtime: Runtime;
  readonly longestMs: number;
  /** For the messages of errors: which call, by which seed. */
  readonly which: string;
}

/** The call as it goes with this fault. */
export async function suffer<T>(fault: Fault, call: Call<T>): Promise<T> {
  if (typeof fault === 'string') return sufferNamed(fault, call);
  if (typeof fault === 'function') await fault();
  else if ('slowMs' in fault) await sleep(call.runtime, fault.slowMs);
  else if ('rolledBack' in fault) await call.rollBack(fault.rolledBack);
  else if ('throws' in fault) throw fault.throws;
  else if ('code' in fault) throw new AgentStateError(fault.code, messageOf(fault, call));
  else {
    call.held.hold(call.run, fault.lateMs);
    throw unavailable(fault, call);
  }
  return call.run();
}

async function sufferNamed<T>(name: FaultName, call: Call<T>): Promise<T> {
  switch (name) {
    case 'slow':
      return suffer({ slowMs: call.longestMs }, call);
    case 'rolled_back':
      return suffer({ rolledBack: 1 }, call);
    case 'corrupt':
      return suffer({ code: 'corrupt' }, call);
    case 'foreign':
      throw Object.assign(new Error(`read ECONNRESET (${messageOf(name, call)})`), { code: 'ECONNRESET' });
    case 'hangs':
      return new Promise<never>(() => {});
    case 'hangs_applied':
      await call.run();
      return new Promise<never>(() => {});
    case 'applied':
      await call.run();
      throw unavailable(name, call);
    case 'late':
      call.held.hold(call.run);
      throw unavailable(name, call);
    default:
      throw unavailable(name, call);
  }
}

const messageOf = (fault: Fault, { which }: Pick<Call<unknown>, 'which'>): string =>
  `Injected fault: ${kindOf(fault)}, ${which}.`;

const unavailable = (fault: Fault, call: Pick<Call<unknown>, 'which'>): AgentStateError =>
  new AgentStateError('unavailable', messageOf(fault, call), { applied: fault === 'refused' ? 'no' : 'maybe' });
