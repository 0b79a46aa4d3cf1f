import { assertTime } from '../../protocol/options.ts';
import type { TimeToLive } from '../../protocol/position.ts';
import { checkedTtl } from '../../protocol/prepare.ts';
import type { Runtime } from '../../protocol/runtime.ts';

/** How an agent treats its store. Every time is in milliseconds. */
export interface StorePolicy {
  /** How long one call of the store may take; default 2,000. */
  readonly callMs: number;
  /** How long a save or a load is tried before the run goes on in memory; default 5,000. */
  readonly budgetMs: number;
  /** What to do when the budget is spent; default `volatile`, as the specification says. */
  readonly onStoreDown: 'volatile' | 'wait' | 'throw';
  /** What to do with a thread that is gone from the store without a delete; default `restore`: write it again. */
  readonly onVanished: 'restore' | 'stop';
  /** How often a working owner shows that it lives, within a long step; default 5,000. The same in all processes. */
  readonly heartbeatMs: number;
  /** How long `onBusy: 'wait'` waits for an owner that lives; default 30,000. */
  readonly busyWaitMs: number;
  /** How long a thread lives after its last save; left out: what it has, for a new one for ever. */
  readonly ttl: TimeToLive | undefined;
}

/** The policy with its defaults, or a `configuration` error. */
export function storePolicy(options: { readonly [K in keyof StorePolicy]?: StorePolicy[K] | undefined }): StorePolicy {
  const { callMs = 2_000, budgetMs = 5_000, heartbeatMs = 5_000, busyWaitMs = 30_000, ttl } = options;
  const { onStoreDown = 'volatile', onVanished = 'restore' } = options;
  // By the names that the factory's options have.
  const named = { storeCallMs: callMs, storeBudgetMs: budgetMs, heartbeatMs, busyWaitMs };
  for (const [path, ms] of Object.entries(named)) assertTime(ms, path);
  return Object.freeze({
    callMs,
    budgetMs,
    heartbeatMs,
    busyWaitMs,
    onStoreDown,
    onVanished,
    ttl: ttl && checkedTtl(ttl),
  });
}

/** From 50 ms, doubling up to 1 s, with jitter, so that many threads do not come back in step. */
export function retryDelay(runtime: Runtime, attempt: number): number {
  return Math.min(50 * 2 ** (attempt - 1), 1_000) * (0.5 + runtime.random());
}
