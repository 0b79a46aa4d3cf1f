import { appendTo, toHistory, toVariables } from '../state/encode.ts';
import { type JsonObject, type JsonValue, setOwn } from '../state/json.ts';
import {
  type Message,
  type OpenCall,
  type RunPhase,
  type RunRecord,
  schemaVersion,
  type ThreadState,
  type TokenUsage,
} from '../state/schema.ts';

/**
 * The write points as functions from one state to the next. They are pure: ids and times are given, nothing is read
 * or written. Who saves the result, and when, is the loop's business.
 */

export interface NewRun {
  readonly runId: string;
  readonly inputId: string;
  readonly owner: string;
  readonly input: Message;
}

export interface NewThread {
  readonly profile: string;
  readonly systemPrompt?: string | undefined;
  /** Taken where nothing is stored; a stored history takes precedence. */
  readonly history?: readonly Message[] | undefined;
}

/** The state of a thread that nobody has run yet. */
export function newThread({ profile, systemPrompt, history = [] }: NewThread, now: string): ThreadState {
  const opening: Message[] =
    systemPrompt === undefined || history[0]?.role === 'system' ? [] : [{ role: 'system', content: systemPrompt }];
  return Object.freeze({
    schema_version: schemaVersion,
    agent_profile: profile,
    current_step: 0,
    updated_at: now,
    variables: toVariables({}),
    history: toHistory([...opening, ...history]),
  });
}

/**
 * W0 for a new input. An input never lands between calls and their results: where calls are open, it waits for them.
 * After a failed or cancelled run the open calls are answered without running them (`settle`).
 */
export function startRun(state: ThreadState, { runId, inputId, owner, input }: NewRun): ThreadState {
  const before = state.run;
  const message = withMetadata(input, { input_id: inputId, ...previousRun(before) });
  const run: RunRecord = {
    id: runId,
    input_id: inputId,
    phase: 'think',
    epoch: (before?.epoch ?? 0) + 1,
    claim: before?.claim ?? '',
    owner,
    owner_write: before?.owner_write ?? '',
    requests: before?.requests ?? [],
    attempt: 0,
    iterations: 0,
    active_ms: 0,
    calls: before ? countedAttempts(before) : [],
    pending_inputs: before?.pending_inputs ?? [],
    settle: before?.settle ?? null,
    pause: null,
    error: null,
  };
  if (!before || run.calls.length === 0) {
    return freeze({ ...state, history: appendTo(state.history, [message]), run: { ...run, settle: null } });
  }
  const ended = before.phase === 'failed' || before.phase === 'cancelled';
  return freeze({
    ...state,
    run: {
      ...run,
      phase: 'act',
      settle: ended ? 'none' : run.settle,
      pending_inputs: [...run.pending_inputs, message],
    },
  });
}

/** W0 of a resume: the same run, a new owner. Only for a state with a run. */
export function takeRun(state: ThreadState, owner: string): ThreadState {
  return withRun(state, (run) => ({
    ...run,
    epoch: run.epoch + 1,
    owner,
    phase: run.calls.length > 0 ? 'act' : 'think',
    attempt: run.attempt + (run.owner === null ? 0 : 1),
    calls: countedAttempts(run),
    pause: null,
  }));
}

/** W1: the model's message, and its calls planned; or its answer, and the run done without an owner, in one. */
export function thought(state: ThreadState, message: Message, calls: readonly OpenCall[]): ThreadState {
  const next = withRun(state, (run) => ({
    ...run,
    phase: calls.length > 0 ? 'act' : 'done',
    owner: calls.length > 0 ? run.owner : null,
    attempt: 0,
    iterations: run.iterations + 1,
    calls,
  }));
  return freeze({ ...next, current_step: state.current_step + 1, history: appendTo(state.history, [message]) });
}

export interface CallOutcome {
  readonly status: 'done' | 'failed';
  readonly result: Message;
  /** Dropped where the call failed. */
  readonly variables?: JsonObject | undefined;
}

/** W3: the result of one call, in its place. */
export function withResult(state: ThreadState, key: string, outcome: CallOutcome): ThreadState {
  return withRun(state, (run) => ({
    ...run,
    calls: run.calls.map((call) => (call.key === key ? settledCall(call, outcome) : call)),
  }));
}

/** W4: all calls are settled; their messages follow in call order, and then the inputs that waited for them. */
export function acted(state: ThreadState): ThreadState {
  const calls = state.run?.calls ?? [];
  const results = calls.flatMap(({ result }) => (result ? [result] : []));
  const next = withRun(state, (run) => ({
    ...run,
    phase: 'think',
    attempt: 0,
    calls: [],
    pending_inputs: [],
    settle: null,
  }));
  return freeze({
    ...next,
    current_step: state.current_step + 1,
    variables: variablesAfter(state.variables, calls),
    history: appendTo(state.history, [...results, ...(state.run?.pending_inputs ?? [])]),
  });
}

/** W6, or the mark that a failed or cancelled run leaves. The history stays as it is. */
export function stopped(state: ThreadState, phase: RunPhase, code: string | null): ThreadState {
  return withRun(state, (run) => ({ ...run, phase, owner: null, error: code === null ? null : { code } }));
}

/** The variables once these calls have settled, the last one winning. */
export function variablesAfter(variables: JsonObject, calls: readonly OpenCall[]): JsonObject {
  const changes = calls.flatMap((call) => (call.status === 'done' && call.variables ? [call.variables] : []));
  if (changes.length === 0) return variables;
  const merged: Record<string, JsonValue> = {};
  for (const part of [variables, ...changes]) {
    for (const [key, value] of Object.entries(part)) setOwn(merged, key, value);
  }
  return toVariables(merged);
}

/** Adds working time; pauses between are not counted. */
export function worked(state: ThreadState, ms: number): ThreadState {
  return withRun(state, (run) => ({ ...run, active_ms: run.active_ms + ms }));
}

/** The usage of a whole run's answers so far. */
export function addUsage(a: TokenUsage, b: TokenUsage | undefined): TokenUsage {
  if (!b) return a;
  return { input_tokens: a.input_tokens + b.input_tokens, output_tokens: a.output_tokens + b.output_tokens };
}

/**
 * Whether a call that has no result may have run. Saying `planned` of a call that can run twice would cost a write, so
 * only `once` tools are marked before they start.
 */
export function mayHaveStarted(call: OpenCall): boolean {
  return call.status === 'started' || call.effect !== 'once';
}

function settledCall(call: OpenCall, { status, result, variables }: CallOutcome): OpenCall {
  const { variables: _before, ...rest } = call;
  return { ...rest, status, result, ...(status === 'done' && variables ? { variables } : {}) };
}

/** Where an owner was still named, it died with these calls in its hands. */
function countedAttempts(run: RunRecord): readonly OpenCall[] {
  if (run.owner === null) return run.calls;
  return run.calls.map((call) =>
    !call.result && mayHaveStarted(call) ? { ...call, attempt: call.attempt + 1 } : call,
  );
}

/** What became of the run that a new input replaces, kept with that input. */
function previousRun(run: RunRecord | undefined): object {
  if (!run) return {};
  const ended = run.phase === 'done' || run.phase === 'failed' || run.phase === 'cancelled';
  const outcome = ended ? run.phase : 'superseded';
  return { previous_run: { input_id: run.input_id, outcome, ...(run.error ? { code: run.error.code } : {}) } };
}

export function withMetadata(message: Message, added: object): Message {
  return { ...message, metadata: { ...message.metadata, ...added } };
}

function withRun(state: ThreadState, change: (run: RunRecord) => RunRecord): ThreadState {
  if (!state.run) throw new TypeError('The state has no run.');
  return freeze({ ...state, run: change(state.run) });
}

const freeze = (state: ThreadState): ThreadState => Object.freeze(state);
