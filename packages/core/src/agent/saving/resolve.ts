import { isDeepStrictEqual } from 'node:util';
import type { Absence, Checkpoint } from '../../protocol/checkpointer.ts';
import { AgentStateError, isAgentStateError } from '../../protocol/errors.ts';
import type { Position } from '../../protocol/position.ts';
import { sleep } from '../../protocol/runtime.ts';
import type { Message, RunRecord, ThreadState } from '../../state/schema.ts';
import { diverged, takenOver, threadDeleted } from '../failures.ts';
import { obey } from '../record/requests.ts';
import { type Knowledge, type Verdict, verdictOf } from './conflict.ts';
import { forkHold } from './fork-hold.ts';
import { type Hold, isStored, type OwnWrite, stop, storedLength, update } from './hold.ts';
import { retryDelay } from './policy.ts';
import type { Saver } from './saver.ts';

/** Does what a verdict means to the hold. True: one of its writes is the base now. Throws what stops the hold. */
export async function resolve(saver: Saver, hold: Hold, verdict: Verdict): Promise<boolean> {
  const { threadId } = hold;
  switch (verdict.kind) {
    case 'landed':
    case 'rolled_back':
      if (verdict.kind === 'rolled_back') saver.emit({ type: 'rolled_back', threadId });
      landed(saver, hold, hold.writes.get(verdict.position.etag) as OwnWrite, verdict.position);
      return true;
    case 'request':
      return meetRequest(saver, hold, verdict.position);
    case 'unchanged':
      return false;
    case 'vanished':
      saver.emit({ type: 'vanished', threadId });
      return restore(saver, hold);
    case 'again':
      throw new AgentStateError('busy', 'Somebody else took the thread at the same time.', { threadId });
    case 'deleted':
      throw threadDeleted(threadId);
    case 'diverged':
      return diverge(saver, hold);
    case 'taken_over':
      return lose(saver, hold);
  }
}

export function landed(saver: Saver, hold: Hold, known: OwnWrite, position: Position): undefined {
  hold.writes.set(position.etag, { ...known, acknowledged: true });
  hold.base = position;
  hold.baseVariables = known.variables;
  hold.baseSteps = known.steps;
  hold.savedVersion = known.version;
  hold.life = position.life;
  hold.ttl = position.ttl;
  hold.savedAt = saver.runtime.monotonic();
  if (known.claim === undefined) return;
  hold.claim ??= known.claim;
  const { length, ahead } = position;
  if (known.version >= hold.acknowledged.version) hold.acknowledged = { version: known.version, length, ahead };
}

export function knowledgeOf({ runtime, tombstones }: Saver, hold: Hold): Knowledge {
  const { ttlMs } = hold.ttl;
  const expired = ttlMs !== null && runtime.monotonic() - hold.savedAt >= ttlMs;
  return {
    base: hold.base,
    life: hold.life,
    writes: hold.writes,
    claims: hold.claims,
    owns: hold.claim !== null,
    volatile: hold.volatile,
    mayRevive: tombstones && !expired,
  };
}

/** Somebody wrote under this hold's claim: what he asked for is obeyed, and what is not stored yet lands on top of it. */
async function meetRequest(saver: Saver, hold: Hold, seen: Position): Promise<boolean> {
  const found = await saver.port.load(hold.threadId);
  if (!found.found || found.etag !== seen.etag) {
    return resolve(saver, hold, verdictOf(found, knowledgeOf(saver, hold)));
  }
  const asked = found.state.run as RunRecord;
  const own = hold.writes.get(asked.owner_write);
  if (!own) throw takenOver(hold.threadId);
  landed(saver, hold, own, found);
  const mine = { stored: storedLength(hold), pause: own.pause, worker: hold.running ? saver.owner : undefined };
  update(hold, (state) => obey(state, asked, mine));
  const phase = hold.state.run?.phase;
  if (phase === 'paused' || phase === 'cancelled') hold.interrupt?.(phase === 'paused' ? 'pause' : 'cancel');
  return true;
}

/** The record is gone: the next write creates it again, in a new life over the same tombstone. */
function restore({ policy }: Saver, hold: Hold): false {
  if (policy.onVanished === 'stop') throw threadDeleted(hold.threadId);
  const generation = hold.base === 'unknown' || !('generation' in hold.base) ? 0 : (hold.base.generation ?? 0);
  hold.base = { found: false, tombstone: hold.life.after, generation };
  hold.baseVariables = undefined;
  hold.baseSteps = 0;
  return false;
}

/** What only this process has goes on under a thread id of its own; it is stored as soon as the store takes it. */
function diverge(saver: Saver, hold: Hold, state = hold.state): never {
  const { threadId, ttl } = hold;
  const fork = forkHold({ threadId, state, ttl }, saver.runtime);
  // Stopped first: who begins a run when he hears of it begins from what is stored.
  stop(hold, diverged(threadId, fork.threadId));
  saver.emit({ type: 'diverged', threadId, forkId: fork.threadId, steps: hold.steps.length - hold.baseSteps });
  saver.adopt(fork);
  throw hold.stopped;
}

/**
 * Somebody else has the thread. The run is aborted at once, and nothing more is saved of it; one read tells whether
 * anything is missing that was ever acknowledged here, as after a rollback of the store. Where it cannot be told, it is
 * kept.
 */
async function lose(saver: Saver, hold: Hold): Promise<never> {
  const { threadId, state } = hold;
  hold.halt.abort(takenOver(threadId));
  const found = await readOnce(saver, threadId);
  if (found && verdictOf(found, knowledgeOf(saver, hold)).kind === 'deleted') throw threadDeleted(threadId);
  if (found?.found && !lacks(found, hold)) throw takenOver(threadId);
  // As it was before its run was aborted.
  return diverge(saver, hold, state);
}

async function readOnce({ port, runtime, policy }: Saver, threadId: string): Promise<Checkpoint | Absence | undefined> {
  const end = runtime.monotonic() + policy.budgetMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await port.load(threadId, end - runtime.monotonic());
    } catch (error) {
      if (!isAgentStateError(error, 'unavailable')) throw error;
      const delay = retryDelay(runtime, attempt);
      if (runtime.monotonic() + delay >= end) return undefined;
      await sleep(runtime, delay);
    }
  }
}

/** Whether a message or result is missing there that the store once acknowledged. A rewrite drops what it drops. */
function lacks(found: Checkpoint, hold: Hold): boolean {
  if (found.life.born !== hold.life.born) return true;
  if (found.generation > (isStored(hold) ? hold.base.generation : 0)) return false;
  const { length, ahead } = hold.acknowledged;
  const indexes = [...Array.from({ length }, (_, index) => index), ...ahead];
  return !indexes.every((index) => isDeepStrictEqual(messageAt(found.state, index), messageAt(hold.state, index)));
}

/** The message at that index, or the result that is stored where it will be. */
function messageAt({ history, run }: ThreadState, index: number): Message | undefined {
  return history[index] ?? run?.calls[index - history.length]?.result;
}
