import { appendTo, toHistory, toVariables } from '../../state/encode.ts';
import { type JsonObject, type JsonValue, setOwn } from '../../state/json.ts';
import {
  type Message,
  type OpenCall,
  type Pause,
  type PauseRequest,
  type RunPhase,
  type RunRecord,
  schemaVersion,
  type ThreadState,
  type TokenUsage,
} from '../../state/schema.ts';
import { mayHaveStarted } from './call-state.ts';

/**
 * The write points as functions from one state to the next. They are pure: ids and times are given, nothing is read
 * or written. Who saves the result, and when, is the loop's business.
 */

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
  /** The tool asks the run to pause once the turn is settled. */
  readonly pause?: PauseRequest | undefined;
}

/** W2: the call is about to start; or, where it does not after all, planned again. */
export function withStatus(state: ThreadState, key: string, status: 'planned' | 'started'): ThreadState {
  return withCall(state, key, (call) => ({ ...call, status }));
}

/**
 * W5: a person has to approve the call before it runs. Whoever had it before may have started it without, which can not
 * be told any more once it waits: its status says so.
 */
export function askedForApproval(state: ThreadState, key: string): ThreadState {
  return withCall(state, key, (call) => ({
    ...call,
    status: mayHaveStarted(call) ? 'started' : call.status,
    waits_for: 'approval',
  }));
}

/** W5: what became of the call is for a person to say. */
export function askedForOutcome(state: ThreadState, key: string): ThreadState {
  // An approval was for the start; what became of it is another question.
  return withCall(state, key, ({ decision: _approval, ...call }) => ({ ...call, waits_for: 'outcome' }));
}

/** W5: nothing works on the run until it is resumed. */
export function paused(state: ThreadState, pause: Pause): ThreadState {
  return withRun(state, (run) => ({ ...run, phase: 'paused', owner: null, pause }));
}

/** W6: nobody works on the run; whoever comes goes on with it. */
export function released(state: ThreadState): ThreadState {
  return withRun(state, (run) => ({ ...run, owner: null }));
}

/** W3: the result of one call, in its place. */
export function withResult(state: ThreadState, key: string, outcome: CallOutcome): ThreadState {
  return withCall(state, key, (call) => settledCall(call, outcome));
}

/** W4: all calls are settled; their messages follow in call order, and then the inputs that waited for them. */
export function acted(state: ThreadState): ThreadState {
  const calls = state.run?.calls ?? [];
  const results = calls.flatMap(({ result }) => (result ? [result] : []));
  // A turn that is only settled is of a run that has ended; what its tools asked for ended with it. And what somebody
  // has asked for since they ran is not for them to replace.
  const pause = state.run?.settle || state.run?.phase === 'paused' ? undefined : pauseOf(calls);
  const next = withRun(state, (run) => ({
    ...run,
    ...(pause ? { phase: 'paused', owner: null, pause } : { phase: run.phase === 'paused' ? 'paused' : 'think' }),
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

/** What the tools of a turn asked for: the earliest time of those that named one. */
function pauseOf(calls: readonly OpenCall[]): Pause | undefined {
  const asked = calls.flatMap(({ pause }) => (pause ? [pause] : []));
  const [first] = asked.sort((a, b) => Date.parse(a.wake_at ?? latest) - Date.parse(b.wake_at ?? latest));
  return first && { kind: 'request', ...first };
}

const latest = '9999-12-31T00:00:00Z';

/** W6, or the mark that a failed or cancelled run leaves. The history stays as it is. */
export function stopped(state: ThreadState, phase: RunPhase, code: string | null): ThreadState {
  return withRun(state, (run) => ({
    ...run,
    phase,
    owner: null,
    pause: null,
    error: code === null ? null : { code },
  }));
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

function settledCall(call: OpenCall, { status, result, variables, pause }: CallOutcome): OpenCall {
  const { variables: _before, ...rest } = call;
  const more = { ...(variables ? { variables } : {}), ...(pause ? { pause } : {}) };
  return { ...rest, status, result, ...(status === 'done' ? more : {}) };
}

export function withMetadata(message: Message, added: object): Message {
  return { ...message, metadata: { ...message.metadata, ...added } };
}

function withCall(state: ThreadState, key: string, change: (call: OpenCall) => OpenCall): ThreadState {
  return withRun(state, (run) => ({
    ...run,
    calls: run.calls.map((call) => (call.key === key ? change(call) : call)),
  }));
}

export function withRun(state: ThreadState, change: (run: RunRecord) => RunRecord): ThreadState {
  if (!state.run) throw new TypeError('The state has no run.');
  return freeze({ ...state, run: change(state.run) });
}

export const freeze = (state: ThreadState): ThreadState => Object.freeze(state);
