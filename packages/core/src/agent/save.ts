import type { CheckpointWrite } from '../protocol/checkpointer.ts';
import { AgentStateError, isAgentStateError } from '../protocol/errors.ts';
import type { Logger } from '../protocol/logger.ts';
import type { Position } from '../protocol/position.ts';
import type { Runtime } from '../protocol/runtime.ts';
import { sleep } from '../protocol/runtime.ts';
import { type KnownWrite, type Met, type Verdict, verdictOf } from './conflict.ts';
import type { AgentEvent } from './events.ts';
import { type Hold, stop, storedLength } from './hold.ts';
import { diverged, takenOver } from './outcome.ts';
import type { StorePolicy } from './policy.ts';
import type { StorePort } from './store-port.ts';

/** What saving needs besides the hold. */
export interface Saver {
  readonly port: StorePort;
  readonly policy: StorePolicy;
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Whether the store keeps two writers apart, and marks what was deleted. */
  readonly tombstones: boolean;
  readonly emit: (event: AgentEvent) => void;
  /** The holds that are volatile now. */
  readonly outage: Set<Hold>;
  /** Starts the probe of a hold that has become volatile. */
  readonly probe: (hold: Hold) => void;
}

/**
 * Saves all changes made so far, in order, and says whether the store acknowledged them. Changes made while a save is
 * under way ride on the next. While the store is down it returns false at once; where the policy is to wait for it, the
 * signal ends the wait. Throws what stops the run.
 */
export async function flush(saver: Saver, hold: Hold, signal: AbortSignal): Promise<boolean> {
  const wanted = hold.version;
  for (;;) {
    if (hold.stopped) throw hold.stopped;
    if (hold.savedVersion >= wanted) return true;
    if (hold.volatile) {
      hold.wakeProbe();
      return false;
    }
    await (hold.saving ?? exclusively(hold, () => saveWithinBudget(saver, hold, signal)));
  }
}

/** One save of a thread at a time. */
export function exclusively(hold: Hold, save: () => Promise<void>): Promise<void> {
  const saving = save().finally(() => {
    if (hold.saving === saving) hold.saving = undefined;
  });
  hold.saving = saving;
  return saving;
}

/** Tries until everything is stored or the budget is spent; then the policy says how to go on. */
async function saveWithinBudget(saver: Saver, hold: Hold, signal: AbortSignal): Promise<void> {
  const { runtime, policy } = saver;
  const waits = policy.onStoreDown === 'wait';
  const end = waits ? Number.POSITIVE_INFINITY : runtime.monotonic() + policy.budgetMs;
  for (let attempt = 1; ; attempt += 1) {
    const failure = await attemptSave(saver, hold, end);
    if (!failure) return;
    if (hold.stopped) throw hold.stopped;
    const delay = retryDelay(runtime, attempt);
    if (runtime.monotonic() + delay + policy.callMs > end || (waits && signal.aborted)) {
      if (policy.onStoreDown === 'throw') throw stop(hold, failure);
      return becomeVolatile(saver, hold, failure);
    }
    await sleep(runtime, delay, waits ? signal : hold.halt.signal);
    if (hold.stopped) throw hold.stopped;
  }
}

/**
 * One write, read back where its outcome is not known, until `end` on the monotonic clock. Resolves to nothing when it
 * is stored, to the failure when the store is out of reach, and throws what stops the hold.
 */
export async function attemptSave(
  saver: Saver,
  hold: Hold,
  end = Number.POSITIVE_INFINITY,
): Promise<AgentStateError | undefined> {
  try {
    if (hold.base === 'unknown') await learnBase(saver, hold);
    return await writeOnce(saver, hold, end);
  } catch (error) {
    if (isAgentStateError(error, 'unavailable')) return error;
    throw stop(
      hold,
      isAgentStateError(error) ? error : new AgentStateError('corrupt', 'The save failed.', { cause: error }),
    );
  }
}

async function writeOnce(saver: Saver, hold: Hold, end: number): Promise<AgentStateError | undefined> {
  for (;;) {
    const { write, known } = buildWrite(saver, hold);
    hold.writes.set(known.writeId, known);
    const outcome = await tryWrite(saver, hold, write, end);
    if ('receipt' in outcome) return landed(saver, hold, known, outcome.receipt);
    const verdict = verdictOf(outcome.met, knowledgeOf(saver, hold));
    if (settle(saver, hold, verdict) && hold.savedVersion >= known.version) return undefined;
    if (verdict.kind === 'unchanged' || timeLeft(saver, end) <= 0)
      return new AgentStateError('unavailable', 'The write was not applied.', { applied: 'no' });
  }
}

/** The receipt, or what is there instead; after an unknown outcome, what is there now. */
async function tryWrite(
  saver: Saver,
  { threadId, writes }: Hold,
  write: CheckpointWrite & { readonly writeId: string },
  end: number,
): Promise<{ receipt: Position } | { met: Met }> {
  const { port } = saver;
  try {
    return { receipt: await port.save(threadId, write, timeLeft(saver, end)) };
  } catch (error) {
    if (isAgentStateError(error, 'conflict')) return { met: error.current ?? { found: false, tombstone: null } };
    if (!isAgentStateError(error, 'unavailable')) throw error;
    // An adapter may be wrong to say that it was not applied, so it is remembered; but an outage may be long.
    forgetOldest(writes);
    const left = timeLeft(saver, end);
    if (error.applied !== 'maybe' || left <= 0) throw error;
    return { met: await port.peek(threadId, left) };
  }
}

/** How many writes without an acknowledgement are remembered. */
const maxUnacknowledged = 64;

function forgetOldest(writes: Hold['writes']): void {
  const unacknowledged = [...writes].filter(([, { acknowledged }]) => !acknowledged);
  for (const [writeId] of unacknowledged.slice(0, -maxUnacknowledged)) writes.delete(writeId);
}

function timeLeft({ runtime }: Saver, end: number): number {
  return end - runtime.monotonic();
}

/** The load that began this hold failed: what is there now decides. */
async function learnBase(saver: Saver, hold: Hold): Promise<void> {
  const found = await saver.port.peek(hold.threadId);
  const verdict = verdictOf(found, knowledgeOf(saver, hold));
  if (verdict.kind !== 'unchanged') settle(saver, hold, verdict);
  hold.base = { found: false, tombstone: null };
}

/** Does what a verdict means to the hold. True: one of its writes is the base now. */
function settle(saver: Saver, hold: Hold, verdict: Verdict): boolean {
  const { threadId } = hold;
  switch (verdict.kind) {
    case 'landed':
    case 'rolled_back':
      if (verdict.kind === 'rolled_back') saver.emit({ type: 'rolled_back', threadId });
      landed(saver, hold, hold.writes.get(verdict.position.etag) as Known, verdict.position);
      return true;
    case 'unchanged':
      return false;
    case 'vanished':
      saver.emit({ type: 'vanished', threadId });
      rebase(hold);
      return false;
    case 'again':
      throw new AgentStateError('busy', 'Somebody else took the thread at the same time.', { threadId });
    case 'deleted':
      throw new AgentStateError(
        'deleted',
        'The thread was deleted, or its time to live ran out; nothing more of this run is stored.',
        { threadId },
      );
    case 'diverged':
      // Stopped first: who begins a run when he hears of it begins from what is stored.
      stop(hold, diverged(threadId));
      saver.emit({ type: 'diverged', threadId, steps: hold.steps.length - hold.baseSteps });
      throw hold.stopped;
    case 'taken_over':
      throw takenOver(threadId);
  }
}

type Known = KnownWrite & {
  readonly variables: Hold['state']['variables'];
  readonly writeId?: string;
  readonly claim?: string;
};

function landed(saver: Saver, hold: Hold, known: Known, position: Position): undefined {
  hold.writes.set(position.etag, { ...known, acknowledged: true });
  hold.base = position;
  hold.baseVariables = known.variables;
  hold.baseSteps = known.steps;
  hold.savedVersion = known.version;
  hold.life = position.life;
  hold.ttl = position.ttl;
  hold.savedAt = saver.runtime.monotonic();
  hold.claim ??= known.claim ?? null;
}

/** The record is gone: the next write creates it again, in a new life over the same tombstone. */
function rebase(hold: Hold): void {
  const generation = hold.base === 'unknown' || !('generation' in hold.base) ? 0 : (hold.base.generation ?? 0);
  hold.base = { found: false, tombstone: hold.life.after, generation };
  hold.baseVariables = undefined;
  hold.baseSteps = 0;
}

function buildWrite(
  { runtime, policy }: Saver,
  hold: Hold,
): { write: CheckpointWrite & { readonly writeId: string }; known: Known & { writeId: string } } {
  const writeId = runtime.id();
  const claim = hold.claim ?? writeId;
  const { state, base } = hold;
  if (base === 'unknown' || !state.run) throw new TypeError('A write needs a base and a run.');
  const run = { ...state.run, claim, owner_write: writeId };
  const write = {
    writeId,
    base,
    state: { ...state, run, updated_at: new Date(runtime.now()).toISOString() },
    appendedFrom: storedLength(hold),
    variablesChanged: state.variables !== hold.baseVariables,
    steps: hold.steps.slice(hold.baseSteps),
    ...(policy.ttl ? { ttl: policy.ttl } : {}),
  };
  const known = {
    writeId,
    claim,
    version: hold.version,
    steps: hold.steps.length,
    variables: state.variables,
    acknowledged: false,
  };
  return { write, known };
}

function knowledgeOf({ runtime, tombstones }: Saver, hold: Hold) {
  const { ttlMs } = hold.ttl;
  const expired = ttlMs !== null && runtime.monotonic() - hold.savedAt >= ttlMs;
  return {
    base: hold.base,
    life: hold.life,
    writes: hold.writes,
    owns: hold.claim !== null,
    volatile: hold.volatile,
    mayRevive: tombstones && !expired,
  };
}

/** One warning an outage; the run goes on in memory, and the probe brings it back. */
export function becomeVolatile(saver: Saver, hold: Hold, failure: AgentStateError): void {
  const { threadId } = hold;
  hold.volatile = true;
  if (saver.outage.size === 0) {
    saver.logger.warn(
      { threadId, code: failure.code, cause: failure.message },
      'The store is unavailable: threads go on in memory only until it is back.',
    );
  }
  saver.outage.add(hold);
  saver.emit({ type: 'volatile', threadId, code: failure.code });
  saver.probe(hold);
}

/** From 50 ms, doubling up to 1 s, with jitter, so that many threads do not come back in step. */
export function retryDelay(runtime: Runtime, attempt: number): number {
  return Math.min(50 * 2 ** (attempt - 1), 1_000) * (0.5 + runtime.random());
}
