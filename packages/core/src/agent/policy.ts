import { AgentStateError } from '../protocol/errors.ts';
import type { TimeToLive } from '../protocol/position.ts';
import { checkedTtl } from '../protocol/prepare.ts';

/** How an agent treats its store. Every time is in milliseconds. */
export interface StorePolicy {
  /** How long one call of the store may take; default 2,000. */
  readonly callMs: number;
  /** How long a save or a load is tried before the run goes on in memory; default 5,000. */
  readonly budgetMs: number;
  /** What to do when the budget is spent; default `volatile`, as the specification says. */
  readonly onStoreDown: 'volatile' | 'wait' | 'throw';
  /** How long a thread lives after its last save; left out: what it has, for a new one for ever. */
  readonly ttl: TimeToLive | undefined;
}

/** The policy with its defaults, or a `configuration` error. */
export function storePolicy(options: { readonly [K in keyof StorePolicy]?: StorePolicy[K] | undefined }): StorePolicy {
  const { callMs = 2_000, budgetMs = 5_000, onStoreDown = 'volatile', ttl } = options;
  for (const [path, ms] of Object.entries({ callMs, budgetMs })) {
    if (!(ms > 0)) throw new AgentStateError('configuration', `${path} has to be above 0 milliseconds.`, { path });
  }
  return Object.freeze({ callMs, budgetMs, onStoreDown, ttl: ttl && checkedTtl(ttl) });
}
