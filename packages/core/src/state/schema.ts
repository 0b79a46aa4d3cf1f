import * as v from 'valibot';
import type { JsonObject } from './json.ts';
import { isWakeTime } from './wake-time.ts';

/** The version of the state that this release writes. */
export const schemaVersion = 1;

export const messageRoles = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
export type MessageRole = (typeof messageRoles)[number];

/** What running a tool twice means: nothing; nothing under the same key; harm. */
export const callEffects = ['read', 'idempotent', 'once'] as const;
export type CallEffect = (typeof callEffects)[number];

export const runPhases = ['idle', 'think', 'act', 'paused', 'done', 'failed', 'cancelled'] as const;
export type RunPhase = (typeof runPhases)[number];

export const callStatuses = ['planned', 'started', 'done', 'failed'] as const;
export type CallStatus = (typeof callStatuses)[number];

/** A call as the model made it. The arguments stay the text that it sent. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface TokenUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** How a run ended. `superseded`: it was still open when the next input came. */
export interface PreviousRun {
  readonly input_id: string;
  readonly run_id: string;
  readonly outcome: 'done' | 'failed' | 'cancelled' | 'superseded';
  /** The code of the error that ended it. */
  readonly code?: string;
  /** Its answer is not in the history any more. */
  readonly answer?: 'gone';
}

export interface MessageMetadata {
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  /**
   * On a result: the arguments that a person proposed in the place of the model's, as JSON text. With these the call ran,
   * was answered or rejected, or did not run. The model is told so in front of the content, which stays the tool's.
   */
  readonly proposed_arguments?: string;
  readonly input_id?: string;
  /** On an input: the run that it replaced, and what became of that. */
  readonly previous_run?: PreviousRun;
  /**
   * On the first message of a rewritten history: what became of the inputs that are not in it any more, each once, those
   * told first in front.
   */
  readonly earlier_inputs?: readonly PreviousRun[];
  readonly usage?: TokenUsage;
  readonly [key: string]: unknown;
}

/** One message of the history. Fields that are not named here survive a load and a save. */
export interface Message {
  readonly role: MessageRole;
  readonly content: string | null | readonly JsonObject[];
  readonly name?: string;
  readonly metadata?: MessageMetadata;
}

/** What a person decided on an open call; of a call, the first one counts. */
export type CallDecision =
  /** It may run, with the arguments that its key stands for. */
  | { readonly verdict: 'approve' }
  /** It does not run; the model is told so, with the reason. */
  | { readonly verdict: 'reject'; readonly reason?: string | undefined }
  /** It does not run; this text is its result. For a call whose outcome is unknown, or that a person did by hand. */
  | { readonly verdict: 'answer'; readonly result: string };

/** A call of the last assistant message that is not settled yet. */
export interface OpenCall {
  readonly id: string;
  readonly tool: string;
  /** The idempotency key: the same for every attempt. */
  readonly key: string;
  readonly effect: CallEffect;
  readonly status: CallStatus;
  /** How often a process that may have started it has died or was taken over. */
  readonly attempt: number;
  /** Waits for a person: for an approval before it runs, or for what became of it. */
  readonly waits_for?: 'approval' | 'outcome';
  /** A person's decision; it was given for `key`, so for these arguments. */
  readonly decision?: CallDecision & { readonly id: string };
  /** The arguments that a person proposed in the place of the model's, as JSON text. */
  readonly arguments?: string;
  /** The keys that the call had before, the last one at the end. */
  readonly replaces?: readonly string[];
  /** The run pauses once this turn is settled: until a time (`wake_at`), or until it is resumed. */
  readonly pause?: PauseRequest;
  /** The variables that this call changes; applied when all calls are settled. */
  readonly variables?: JsonObject;
  /** There once `status` is `done` or `failed`. Stored where its message will be, and not twice. */
  readonly result?: Message;
}

/** Why a run pauses, and until when. */
export interface PauseRequest {
  readonly reason?: string;
  /** As `toISOString` writes it: `threads.due` lists the thread from then on. It is not woken by itself. */
  readonly wake_at?: string;
}

export interface Pause extends PauseRequest {
  /** `person`: open calls wait for a decision; `request`: somebody, or a tool, asked for it. */
  readonly kind: 'person' | 'request';
}

/** What resuming needs: which run, who owns it, how far it is. */
export interface RunRecord {
  readonly id: string;
  readonly input_id: string;
  readonly phase: RunPhase;
  /** The count of claims, for people. */
  readonly epoch: number;
  /** The write id of the W0 by which the owner took the thread; ownership is decided by it alone. */
  readonly claim: string;
  readonly owner: string | null;
  /** The owner's last write, also under a request that somebody else wrote on top of it. */
  readonly owner_write: string;
  /** The write ids of the last 8 requests by others. */
  readonly requests: readonly string[];
  /** How often the run was taken from an owner that had not let go of it, since its last step. */
  readonly attempt: number;
  readonly iterations: number;
  /** Working time so far, in milliseconds; pauses do not count. */
  readonly active_ms: number;
  readonly calls: readonly OpenCall[];
  /** Inputs that arrived while calls were open: they follow the calls' results. */
  readonly pending_inputs: readonly Message[];
  /** The open calls are answered without running them; `reject`: those that wait for a person as rejected. */
  readonly settle: 'none' | 'reject' | null;
  /** There while the phase is `paused`. */
  readonly pause: Pause | null;
  readonly error: { readonly code: string } | null;
}

/** The state without what grows. */
export interface ThreadHead {
  readonly schema_version: number;
  readonly agent_profile: string;
  readonly current_step: number;
  /** ISO 8601 with Z. Never goes backwards within a thread. */
  readonly updated_at: string;
  /** Absent until an agent has run on the thread. */
  readonly run?: RunRecord;
}

/** The thread: the specification's dictionary, plus what resuming needs. Fields that are not named here survive. */
export interface ThreadState extends ThreadHead {
  readonly variables: JsonObject;
  readonly history: readonly Message[];
}

/** A state as a person may write it down: what is missing gets its default. */
export interface ThreadStateInput extends Partial<ThreadHead> {
  readonly history: readonly Message[];
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** One step of the loop, kept beside the messages. */
export interface StepRecord {
  readonly revision: number;
  readonly step: number;
  /** `rewrite`: not a step of the loop; the history was replaced after this step. */
  readonly phase: 'think' | 'act' | 'rewrite';
  readonly at: string;
  readonly run_id: string;
  readonly generation: number;
  readonly history_length: number;
  readonly usage?: TokenUsage;
  /** All variables after this step, where the step changed them. */
  readonly variables?: JsonObject;
  /** Of a rewrite: why, in the caller's words. */
  readonly reason?: string;
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const text = v.string();
const instant = v.pipe(
  text,
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/, 'an ISO 8601 instant with a zone'),
  v.check((value) => !Number.isNaN(Date.parse(value)), 'an ISO 8601 instant with a zone'),
);
const object = v.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'an object',
);

const usageSchema = v.looseObject({ input_tokens: count, output_tokens: count });

const toolCallSchema = v.looseObject({
  id: text,
  type: v.literal('function'),
  function: v.looseObject({ name: text, arguments: text }),
});

const previousRunSchema = v.looseObject({
  input_id: text,
  run_id: text,
  outcome: v.picklist(['done', 'failed', 'cancelled', 'superseded']),
  code: v.optional(text),
  answer: v.optional(v.literal('gone')),
});

export const messageSchema = v.looseObject({
  role: v.picklist(messageRoles),
  content: v.union([text, v.null(), v.array(object)]),
  name: v.optional(text),
  metadata: v.optional(
    v.looseObject({
      tool_calls: v.optional(v.array(toolCallSchema)),
      tool_call_id: v.optional(text),
      proposed_arguments: v.optional(text),
      input_id: v.optional(text),
      previous_run: v.optional(previousRunSchema),
      earlier_inputs: v.optional(v.array(previousRunSchema)),
      usage: v.optional(usageSchema),
    }),
  ),
});

const wakeTime = v.pipe(text, v.check(isWakeTime, 'an instant as toISOString writes it, up to the year 9999'));
const pauseRequest = { reason: v.optional(text), wake_at: v.optional(wakeTime) };

const decisionSchema = v.variant('verdict', [
  v.looseObject({ verdict: v.literal('approve'), id: text }),
  v.looseObject({ verdict: v.literal('reject'), id: text, reason: v.optional(text) }),
  v.looseObject({ verdict: v.literal('answer'), id: text, result: text }),
]);

const openCallSchema = v.looseObject({
  id: text,
  tool: text,
  key: text,
  effect: v.picklist(callEffects),
  status: v.picklist(callStatuses),
  attempt: count,
  waits_for: v.optional(v.picklist(['approval', 'outcome'])),
  decision: v.optional(decisionSchema),
  arguments: v.optional(text),
  replaces: v.optional(v.array(text)),
  pause: v.optional(v.looseObject(pauseRequest)),
  variables: v.optional(object),
  result: v.optional(messageSchema),
});

const runSchema = v.looseObject({
  id: text,
  input_id: text,
  phase: v.picklist(runPhases),
  epoch: count,
  claim: text,
  owner: v.nullable(text),
  owner_write: text,
  requests: v.array(text),
  attempt: count,
  iterations: count,
  active_ms: v.pipe(v.number(), v.minValue(0)),
  calls: v.array(openCallSchema),
  pending_inputs: v.array(messageSchema),
  settle: v.nullable(v.picklist(['none', 'reject'])),
  pause: v.nullable(v.looseObject({ kind: v.picklist(['person', 'request']), ...pauseRequest })),
  error: v.nullable(v.looseObject({ code: text })),
});

export const headSchema = v.looseObject({
  schema_version: v.literal(schemaVersion),
  agent_profile: text,
  current_step: count,
  updated_at: instant,
  run: v.optional(runSchema),
});

export const stepSchema = v.looseObject({
  revision: count,
  step: count,
  phase: v.picklist(['think', 'act', 'rewrite']),
  at: instant,
  run_id: text,
  generation: count,
  history_length: count,
  usage: v.optional(usageSchema),
  variables: v.optional(object),
  reason: v.optional(text),
});
