import { isAgentStateError } from '../../protocol/errors.ts';
import type { Life } from '../../protocol/position.ts';
import type { Message, ThreadState } from '../../state/schema.ts';
import type { ResumeOptions, RunOptions, RunResult } from '../api.ts';
import type { AgentContext, Listen } from '../context.ts';
import { loadFailed, noRun, noThread, threadDeleted } from '../failures.ts';
import { arrivalOfInput, arrivalOfResume, type Claiming } from '../record/arrival.ts';
import { retryRun, startRun, takeRun } from '../record/claims.ts';
import { generatedInputId } from '../record/inputs.ts';
import { assertFits } from '../record/results.ts';
import { newThread } from '../record/transitions.ts';
import { createHold, type Hold, isStored, update } from '../saving/hold.ts';
import { becomeVolatile, flush } from '../saving/save.ts';
import { type Arriving, arrive, isPaused } from './arrive.ts';
import { open } from './opening.ts';
import { type RunSignals, runSignals } from './signals.ts';
import { createOwnerWatch } from './waiting.ts';

export interface InputRequest extends Omit<RunOptions, 'history'> {
  readonly message: Message;
  readonly history: readonly Message[] | undefined;
  readonly listen: Listen;
}

export interface ResumeRequest extends ResumeOptions {
  readonly listen: Listen;
}

type Begun = { readonly hold: Hold; readonly signals: RunSignals } | { readonly result: RunResult };

interface Beginning extends Arriving {
  readonly history: readonly Message[] | undefined;
  readonly signal: AbortSignal | undefined;
  readonly listen: Listen;
  /** Whether a thread that cannot be loaded is an error, and not a run that begins in memory. */
  readonly mustExist: boolean;
  readonly claim: (state: ThreadState, arrival: Claiming) => ThreadState;
}

/** How often a run begins again because others took the thread at the same moment. */
const maxLostClaims = 20;

export function beginInput(context: AgentContext, request: InputRequest): Promise<Begun> {
  const { hub, runtime, limits } = context;
  const { history, signal, listen, message: input, retry = false, onPaused = 'throw' } = request;
  const inputId = request.inputId ?? generatedInputId(runtime.id());
  return begin(context, {
    history,
    signal,
    listen,
    mustExist: false,
    onBusy: request.onBusy ?? context.onBusy,
    look: ({ state }) => arrivalOfInput(state, { inputId, retry, onPaused }, hub.owner),
    claim(state, arrival) {
      if (arrival.kind === 'continue') return takeRun(state, hub.owner);
      if (arrival.kind === 'retry') return retryRun(state, runtime.id(), hub.owner);
      const run = { runId: runtime.id(), inputId, owner: hub.owner, input, settle: arrival.settle };
      const next = startRun(state, run);
      assertFits(inputOf(next), 'the input', limits.maxMessageBytes);
      return next;
    },
  });
}

export function beginResume(context: AgentContext, request: ResumeRequest): Promise<Begun> {
  const { signal, listen, onBusy = 'takeOver' } = request;
  return begin(context, {
    history: undefined,
    signal,
    listen,
    mustExist: true,
    onBusy,
    look(hold) {
      if (hold.state.run) return arrivalOfResume(hold.state.run, context.hub.owner);
      throw isStored(hold) ? noRun(hold.threadId) : noThread(hold.threadId);
    },
    claim: (state) => takeRun(state, context.hub.owner),
  });
}

function emitTo({ emit }: AgentContext, listen: Listen): AgentContext['emit'] {
  return (event) => {
    emit(event);
    listen?.(event);
  };
}

function inputOf({ history, run }: ThreadState): Message {
  return (run?.pending_inputs.at(-1) ?? history.at(-1)) as Message;
}

/** W0: what is stored is loaded, or what is held goes on, and the thread is claimed before anything else is done. */
async function begin(context: AgentContext, beginning: Beginning): Promise<Begun> {
  const { hub, saver } = context;
  const watch = createOwnerWatch({ ...context, emit: emitTo(context, beginning.listen) }, beginning);
  let first: Hold | undefined;
  let wasPaused: boolean | undefined;
  for (let lostClaims = 0; ; ) {
    const hold = await obtain(context, beginning);
    hub.assertOpen(hold.threadId);
    first ??= hold;
    wasPaused ??= isPaused(hold.state);
    assertSameLife(first, hold);
    const arrival = await arrive(context, beginning, watch, hold, wasPaused);
    if (arrival === 'look again') continue;
    if ('result' in arrival) return arrival;
    hub.assertOpen(hold.threadId);
    hub.holds.set(hold.threadId, hold);
    hold.running = true;
    hold.listen = beginning.listen;
    const signals = runSignals(context, hold, beginning.signal);
    hold.interrupt = signals.interrupt;
    try {
      update(hold, (state) => beginning.claim(state, arrival));
      signals.startClock();
      if (saver) await flush(saver, hold, signals.signal);
      return { hold, signals };
    } catch (error) {
      signals.dispose();
      hub.letGo(hold);
      const lost = isAgentStateError(error, 'busy') && hold.claim === null;
      lostClaims += 1;
      if (!lost || lostClaims === maxLostClaims) throw error;
    }
  }
}

/** Who waits began before a delete that came meanwhile: nothing of his comes after it. */
function assertSameLife(first: Hold, now: Hold): void {
  if (first.base === 'unknown' || now.base === 'unknown') return;
  const known = first.life as Life;
  const another = now.life.born !== null && now.life.born !== known.born && now.life.after !== known.after;
  const gone = now.life.born === null && now.life.after !== null && now.life.after !== known.after;
  if (another || gone) throw threadDeleted(now.threadId);
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
  if (saver && loaded === 'unknown') {
    // Who streams the run hears of it as well.
    hub.holds.set(threadId, hold);
    hold.listen = beginning.listen;
    becomeVolatile(saver, hold, loadFailed(threadId));
  }
  return hold;
}
