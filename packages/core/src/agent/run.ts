import type { Model } from '../model/model.ts';
import { type AgentStateError, isAgentStateError } from '../protocol/errors.ts';
import type { Runtime } from '../protocol/runtime.ts';
import type { Message, ThreadState } from '../state/schema.ts';
import type { AgentEvent, StreamEvent } from './events.ts';
import { createHold, type Hold, update } from './hold.ts';
import type { Hub } from './hub.ts';
import { drive, runSignal } from './loop.ts';
import { assertFree, open } from './opening.ts';
import { loadFailed, noRun, noThread, resultOfRun, toFailure } from './outcome.ts';
import type { RunContext, RunLimits } from './run-context.ts';
import { becomeVolatile, flush, type Saver } from './save.ts';
import type { RunOptions, RunResult } from './service.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { Tool } from './tool.ts';
import { newThread, startRun, stopped, takeRun } from './transitions.ts';
import { promptChanged } from './view.ts';

/** Everything that is fixed for an agent on a thread. */
export interface AgentContext {
  readonly threadId: string;
  readonly profile: string;
  readonly systemPrompt: string | undefined;
  /** Which prompt the model is shown where the profile's and the stored one differ. */
  readonly shownPrompt: 'current' | 'stored';
  readonly model: Model;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly variables: StandardSchema<object> | undefined;
  readonly limits: RunLimits;
  readonly hub: Hub;
  /** Undefined: nothing is stored, the thread lives as long as the agent. */
  readonly saver: Saver | undefined;
  readonly onBusy: 'takeOver' | 'throw';
  readonly runtime: Runtime;
  readonly emit: (event: AgentEvent) => void;
}

type Listen = ((event: StreamEvent<never>) => void) | undefined;

export interface RunRequest extends Omit<RunOptions, 'history'> {
  readonly message: Message;
  readonly history: readonly Message[] | undefined;
  readonly listen: Listen;
}

/** How often a run begins again because others took the thread at the same moment. */
const maxBeginnings = 20;

export async function runOn(context: AgentContext, request: RunRequest): Promise<RunResult> {
  const { hub, runtime } = context;
  const hold = await begin(context, request.onBusy ?? context.onBusy, request.history, (state) =>
    startRun(state, { runId: runtime.id(), inputId: runtime.id(), owner: hub.owner, input: request.message }),
  );
  return work(context, hold, request, false);
}

export async function resumeOn(context: AgentContext, { signal }: Pick<RunOptions, 'signal'>): Promise<RunResult> {
  const held = context.hub.holds.get(context.threadId);
  const loaded = held ? undefined : await open(saverOf(context), context.threadId, true);
  const state = held?.state ?? (loaded !== 'unknown' && loaded?.found ? loaded.state : undefined);
  if (!state) throw noThread(context.threadId);
  if (!state.run) throw noRun(context.threadId);
  if (state.run.phase === 'done')
    return resultOfRun(context.threadId, state, !held || held.savedVersion >= held.version);
  if (state.run.error) throw toFailure(context.threadId, state.run.error.code);
  const hold = await begin(context, 'takeOver', undefined, (before) => takeRun(before, context.hub.owner));
  return work(context, hold, { signal, listen: undefined }, true);
}

function saverOf({ saver, threadId }: AgentContext): Saver {
  if (!saver) throw noThread(threadId);
  return saver;
}

/** W0: what is stored is loaded, or what is held goes on, and the thread is claimed before anything else is done. */
async function begin(
  context: AgentContext,
  onBusy: 'takeOver' | 'throw',
  history: readonly Message[] | undefined,
  claim: (state: ThreadState) => ThreadState,
): Promise<Hold> {
  const { hub, saver } = context;
  for (let round = 1; ; round += 1) {
    const hold = await obtain(context, history);
    assertFree(hold, hub.owner, onBusy);
    hub.holds.set(hold.threadId, hold);
    hold.running = true;
    update(hold, claim);
    try {
      if (saver) await flush(saver, hold);
      return hold;
    } catch (error) {
      dismiss(context, hold);
      const lost = isAgentStateError(error, 'busy') && hold.claim === null;
      if (!lost || round === maxBeginnings) throw error;
    }
  }
}

async function obtain(context: AgentContext, history: readonly Message[] | undefined): Promise<Hold> {
  const { hub, threadId, profile, systemPrompt, runtime, saver } = context;
  const held = hub.holds.get(threadId);
  if (held && !held.stopped) return held;
  const now = new Date(runtime.now()).toISOString();
  const fresh = () => newThread({ profile, systemPrompt, history }, now);
  const loaded = saver ? await open(saver, threadId, false) : 'unknown';
  const hold = createHold(threadId, loaded, fresh, runtime.monotonic());
  if (!saver) hold.volatile = true;
  else if (loaded === 'unknown') becomeVolatile(saver, hold, loadFailed(threadId));
  return hold;
}

async function work(
  context: AgentContext,
  hold: Hold,
  { signal: caller, listen }: { readonly signal?: AbortSignal | undefined; readonly listen: Listen },
  resumed: boolean,
): Promise<RunResult> {
  const { threadId } = hold;
  const { signal, release } = runSignal({ ...context, hold }, caller);
  const run = runContext(context, hold, signal, listen);
  const runId = hold.state.run?.id ?? '';
  run.emit({ type: 'run_started', threadId, runId, resumed });
  if (promptChanged(hold.state.history, context.systemPrompt)) run.emit({ type: 'prompt_changed', threadId });
  try {
    const durable = await drive(run);
    run.emit({ type: 'run_ended', threadId, runId, code: 'done' });
    return resultOfRun(threadId, hold.state, durable);
  } catch (error) {
    const failure = hold.stopped ?? toFailure(threadId, error);
    await markStopped(run, failure);
    run.emit({ type: 'run_ended', threadId, runId, code: failure.code });
    throw failure;
  } finally {
    release();
    dismiss(context, hold);
  }
}

/** W6: the run is marked and its owner let go of; the history stays as it is. */
async function markStopped(run: RunContext, failure: AgentStateError): Promise<void> {
  const { hold } = run;
  if (hold.stopped) return;
  update(hold, (state) => stopped(state, failure.code === 'aborted' ? 'cancelled' : 'failed', failure.code));
  // What the caller hears is why the run failed. That the mark could not be stored has been said by the save itself.
  await run.save().catch(() => false);
}

/** A hold is kept for as long as something of it is not stored. */
function dismiss({ hub, saver }: AgentContext, hold: Hold): void {
  hold.running = false;
  const keep = !hold.stopped && (hold.volatile || !saver);
  if (!keep && hub.holds.get(hold.threadId) === hold) hub.holds.delete(hold.threadId);
}

function runContext(context: AgentContext, hold: Hold, signal: AbortSignal, listen: Listen): RunContext {
  const { saver, runtime } = context;
  return {
    hold,
    model: context.model,
    tools: context.tools,
    variables: context.variables,
    systemPrompt: context.shownPrompt === 'current' ? context.systemPrompt : undefined,
    limits: context.limits,
    runtime,
    signal,
    emit(event) {
      context.emit(event);
      listen?.(event);
    },
    onText: listen ? (text) => listen({ type: 'text', text }) : undefined,
    save: saver ? () => flush(saver, hold) : async () => false,
    countedAt: runtime.monotonic(),
  };
}
