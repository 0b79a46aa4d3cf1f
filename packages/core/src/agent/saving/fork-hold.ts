import type { Runtime } from '../../protocol/runtime.ts';
import { forkId, forkOf } from '../record/fork.ts';
import { beginningOf } from '../record/step-record.ts';
import { createHold, type Hold } from './hold.ts';

/** What a hold has, as a hold of a new thread that nothing is stored of yet. */
export function forkHold({ threadId, state, ttl }: Pick<Hold, 'threadId' | 'state' | 'ttl'>, runtime: Runtime): Hold {
  const absent = { found: false, tombstone: null } as const;
  const fork = createHold(forkId(threadId, runtime.id()), absent, () => forkOf(state), runtime.monotonic());
  fork.ttl = ttl;
  fork.steps.push(beginningOf(fork.state));
  fork.version = 1;
  return fork;
}
