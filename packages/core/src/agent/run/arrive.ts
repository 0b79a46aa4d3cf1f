import type { OpenCall, ThreadState } from '../../state/schema.ts';
import type { RunResult } from '../api.ts';
import type { AgentContext } from '../context.ts';
import { failureOf, threadBusy, threadPaused, toolMissing } from '../failures.ts';
import type { Arrival, Claiming } from '../record/arrival.ts';
import { type Hold, isStored, isUnsaved } from '../saving/hold.ts';
import { doneResult, pausedResult } from './outcome.ts';
import type { OwnerWatch } from './waiting.ts';

/** Who comes to a thread, with an input or to resume it. */
export interface Arriving {
  readonly onBusy: 'wait' | 'takeOver' | 'throw';
  /** What to do about what is there. */
  readonly look: (hold: Hold) => Arrival;
}

/** What is to be claimed, or the result that is there already; a busy thread is waited for, or refused. */
export async function arrive(
  context: AgentContext,
  arriving: Arriving,
  watch: OwnerWatch,
  hold: Hold,
  wasPaused: boolean,
): Promise<Claiming | { readonly result: RunResult } | 'look again'> {
  const { threadId, state } = hold;
  const arrival = await unlessBusy(arriving, watch, hold);
  context.hub.assertOpen(threadId);
  if (arrival === 'look again') return arrival;
  if (arrival.kind === 'ended') {
    if (arrival.run.outcome !== 'done') throw failureOf(threadId, arrival.run);
    return { result: doneResult(threadId, state, arrival.run, !isUnsaved(hold)) };
  }
  if (arrival.kind === 'paused') {
    if (arrival.own) return { result: pausedResult(threadId, state, !isUnsaved(hold)) };
    throw threadPaused(threadId, state.run);
  }
  if (arrival.kind === 'continue') {
    // Somebody has asked for a pause since: to go on would undo it.
    const pausedSince = !wasPaused && isPaused(state) && state.run?.pause?.kind === 'request';
    if (pausedSince) return { result: pausedResult(threadId, state, !isUnsaved(hold)) };
    assertHasTools(context, state);
  }
  // A pause of an outage may be stored, and decisions with it: nothing is rejected over them unseen.
  const unseen = arrival.kind === 'start' && arrival.settle && hold.volatile;
  if (unseen) throw threadPaused(threadId, state.run);
  return arrival;
}

/** What to do about the thread once nobody works on it, or nobody who lives. */
async function unlessBusy(
  { look, onBusy }: Arriving,
  watch: OwnerWatch,
  hold: Hold,
): Promise<Exclude<Arrival, { kind: 'busy' }> | 'look again'> {
  const arrival = look(hold);
  if (arrival.kind !== 'busy') return arrival;
  if (isStored(hold)) {
    if (onBusy === 'throw') throw threadBusy(hold.threadId);
    if (onBusy === 'wait' && !(await watch.silent(hold.base.etag))) return 'look again';
  }
  return arrival.meant;
}

/** A call that was planned by its tool's own rules is not to fail for want of the tool: its approval would be lost. */
function assertHasTools({ threadId, profile, tools }: AgentContext, { run }: ThreadState): void {
  const isKnown = ({ effect, waits_for }: OpenCall) => effect === 'once' || waits_for !== undefined;
  const lost = run?.calls.find((call) => !call.result && isKnown(call) && !tools.has(call.tool));
  if (lost && run?.settle === null) throw toolMissing(threadId, lost.tool, profile);
}

export function isPaused({ run }: ThreadState): boolean {
  return run?.phase === 'paused';
}
