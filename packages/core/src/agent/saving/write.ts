import type { CheckpointWrite } from '../../protocol/checkpointer.ts';
import { AgentStateError, isAgentStateError } from '../../protocol/errors.ts';
import type { Position } from '../../protocol/position.ts';
import { type Met, verdictOf } from './conflict.ts';
import { type Hold, type OwnWrite, stop, storedLength } from './hold.ts';
import { knowledgeOf, landed, resolve } from './resolve.ts';
import type { Saver } from './saver.ts';

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

/** The load that began this hold failed: what is there now decides. */
async function learnBase(saver: Saver, hold: Hold): Promise<void> {
  const found = await saver.port.peek(hold.threadId);
  const verdict = verdictOf(found, knowledgeOf(saver, hold));
  if (verdict.kind !== 'unchanged') await resolve(saver, hold, verdict);
  hold.base = { found: false, tombstone: null };
}

async function writeOnce(saver: Saver, hold: Hold, end: number): Promise<AgentStateError | undefined> {
  for (;;) {
    if (hold.stopped) throw hold.stopped;
    const { write, known } = buildWrite(saver, hold);
    const { version } = known;
    hold.writes.set(write.writeId, known);
    if (hold.claim === null) hold.claims.add(write.writeId);
    const outcome = await tryWrite(saver, hold, write, end);
    if ('receipt' in outcome) return landed(saver, hold, known, outcome.receipt);
    const verdict = verdictOf(outcome.met, knowledgeOf(saver, hold));
    const based = await resolve(saver, hold, verdict);
    if (based && hold.savedVersion >= version) return undefined;
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

function buildWrite(
  { runtime, policy }: Saver,
  hold: Hold,
): { write: CheckpointWrite & { readonly writeId: string }; known: OwnWrite } {
  const writeId = runtime.id();
  const claim = hold.claim ?? writeId;
  const { state, base, version } = hold;
  if (base === 'unknown') throw new TypeError('A write needs a base.');
  const owned = state.run ? { run: { ...state.run, claim, owner_write: writeId } } : {};
  const write = {
    writeId,
    base,
    state: { ...state, ...owned, updated_at: new Date(runtime.now()).toISOString() },
    appendedFrom: storedLength(hold),
    variablesChanged: state.variables !== hold.baseVariables,
    steps: hold.steps.slice(hold.baseSteps),
    ttl: policy.ttl ?? hold.ttl,
  };
  const known = {
    claim,
    version,
    steps: hold.steps.length,
    variables: state.variables,
    pause: state.run?.pause ?? null,
    acknowledged: false,
  };
  return { write, known };
}
