import type { Model } from '../model/model.ts';
import { type AgentStateError, isAgentStateError } from '../protocol/errors.ts';
import type { Runtime } from '../protocol/runtime.ts';
import type { Message, ThreadState } from '../state/schema.ts';
import type { RunOptions, RunResult } from './api.ts';
import type { AgentEvent, StreamEvent } from './events.ts';
import { createHold, type Hold, isStored, isUnsaved, update } from './hold.ts';
import type { Hub } from './hub.ts';
import { drive, runSignal } from './loop.ts';
import { assertFree, open } from './opening.ts';
import { loadFailed, noRun, noThread, resultOfRun, takenOver, toFailure } from './outcome.ts';
import { assertFits } from './results.ts';
import type { RunContext, RunLimits } from './run-context.ts';
import { becomeVolatile, flush, type Saver } from './save.ts';
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
  const { hub, runtime, limits } = context;
  const { history, signal, message: input } = request;
  const inputId = runtime.id();
  const begun = await begin(context, {
    history,
    signal,
    listen: request.listen,
    mustExist: false,
    look(hold) {
      // A claim whose answer was lost, and that somebody else has built on by now: the input is in the thread.
      if (hasInput(hold.state, inputId)) throw takenOver(hold.threadId);
      assertFree(hold, hub.owner, request.onBusy ?? context.onBusy);
      return undefined;
    },
    claim(state) {
      const next = startRun(state, { runId: runtime.id(), inputId, owner: hub.owner, input });
      assertFits(inputOf(next), 'the input', limits.maxMessageBytes);
      return next;
    },
  });
  return 'hold' in begun ? work(context, begun.hold, request, false) : begun.result;
}

export async function resumeOn(context: AgentContext, { signal }: Pick<RunOptions, 'signal'>): Promise<RunResult> {
  const begun = await begin(context, {
    history: undefined,
    signal,
    listen: undefined,
    mustExist: true,
    look: endOf,
    claim: (state) => takeRun(state, context.hub.owner),
  });
  return 'hold' in begun ? work(context, begun.hold, { signal, listen: undefined }, true) : begun.result;
}

/** The result of a run that is done, where there is nothing to resume; undefined where there is. */
function endOf(hold: Hold): RunResult | undefined {
  const { threadId, state } = hold;
  if (!state.run) throw isStored(hold) ? noRun(threadId) : noThread(threadId);
  if (state.run.phase === 'done') return resultOfRun(threadId, state, !isUnsaved(hold));
  if (state.run.error) throw toFailure(threadId, state.run.error.code);
  return undefined;
}

function inputOf({ history, run }: ThreadState): Message {
  return (run?.pending_inputs.at(-1) ?? history.at(-1)) as Message;
}

function hasInput({ history, run }: ThreadState, inputId: string): boolean {
  const isIt = ({ metadata }: Message) => metadata?.input_id === inputId;
  return history.some(isIt) || (run?.pending_inputs ?? []).some(isIt);
}

interface Beginning {
  readonly history: readonly Message[] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly listen: Listen;
  /** Whether a thread that cannot be loaded is an error, and not a run that begins in memory. */
  readonly mustExist: boolean;
  /** Looks at what is there before it is claimed: it may refuse, or have the result already. */
  readonly look: (hold: Hold) => RunResult | undefined;
  readonly claim: (state: ThreadState) => ThreadState;
}

/** W0: what is stored is loaded, or what is held goes on, and the thread is claimed before anything else is done. */
async function begin(context: AgentContext, beginning: Beginning): Promise<{ hold: Hold } | { result: RunResult }> {
  const { hub, saver } = context;
  for (let round = 1; ; round += 1) {
    const hold = await obtain(context, beginning);
    hub.assertOpen(hold.threadId);
    const result = beginning.look(hold);
    if (result) return { result };
    hub.holds.set(hold.threadId, hold);
    hold.running = true;
    hold.listen = beginning.listen;
    try {
      update(hold, beginning.claim);
      if (saver) await flush(saver, hold, endOfWait(hold, beginning.signal));
      return { hold };
    } catch (error) {
      dismiss(context, hold);
      const lost = isAgentStateError(error, 'busy') && hold.claim === null;
      if (!lost || round === maxBeginnings) throw error;
    }
  }
}

function endOfWait({ halt }: Hold, signal: AbortSignal | undefined): AbortSignal {
  return signal ? AbortSignal.any([halt.signal, signal]) : halt.signal;
}

async function obtain(context: AgentContext, beginning: Beginning): Promise<Hold> {
  const { hub, threadId, profile, systemPrompt, runtime, saver } = context;
  const held = hub.holds.get(threadId);
  if (held && !held.stopped) return held;
  const now = new Date(runtime.now()).toISOString();
  const fresh = () => newThread({ profile, systemPrompt, history: beginning.history }, now);
  const assertOpen = () => hub.assertOpen(threadId);
  const loaded = saver ? await open(saver, threadId, { ...beginning, assertOpen }) : 'unknown';
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
  hold.listen = undefined;
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
    save: saver ? () => flush(saver, hold, signal) : async () => false,
    countedAt: runtime.monotonic(),
  };
}
