import type { JsonObject, Message, OpenCall, RunRecord, StepRecord, ThreadStateInput } from '@agent-state/core';

/** An instant far enough in the past that no clock is in the way. */
export const noon = '2026-01-01T12:00:00.000Z';

export const user = (content: string, extra: JsonObject = {}): Message => ({ role: 'user', content, ...extra });

export const assistant = (content: string): Message => ({ role: 'assistant', content });

/** An assistant message that calls tools; the call ids are the tools' names. */
export const calling = (...tools: string[]): Message => ({
  role: 'assistant',
  content: null,
  metadata: {
    tool_calls: tools.map((name) => ({ id: name, type: 'function', function: { name, arguments: '{}' } })),
  },
});

export const toolResult = (tool: string, content: string): Message => ({
  role: 'tool',
  name: tool,
  content,
  metadata: { tool_call_id: tool },
});

export const openCall = (tool: string, result?: Message): OpenCall => ({
  id: tool,
  tool,
  key: `key-of-${tool}`,
  effect: 'idempotent',
  status: result ? 'done' : 'planned',
  attempt: 0,
  ...(result ? { result } : {}),
});

export const run = (changes: Partial<RunRecord> = {}): RunRecord => ({
  id: 'run-1',
  input_id: 'input-1',
  phase: 'think',
  epoch: 1,
  claim: 'claim-1',
  owner: 'owner-1',
  owner_write: 'write-1',
  requests: ['request-1'],
  attempt: 0,
  iterations: 1,
  active_ms: 10,
  calls: [],
  pending_inputs: [],
  settle: null,
  pause: null,
  error: null,
  ...changes,
});

/** A complete state, so that what is loaded can be compared with it as it stands. */
export const state = (
  history: readonly Message[],
  changes: Partial<ThreadStateInput> & Record<string, unknown> = {},
) => ({
  schema_version: 1,
  agent_profile: 'profile',
  current_step: 1,
  updated_at: noon,
  variables: {} as Readonly<Record<string, unknown>>,
  history,
  ...changes,
});

export const step = (
  number: number,
  changes: Partial<StepRecord> = {},
): Omit<StepRecord, 'revision' | 'generation'> => ({
  step: number,
  phase: 'think',
  at: noon,
  run_id: 'run-1',
  history_length: number,
  ...changes,
});

/** A time to live that is the same whether the thread is paused or not, in milliseconds. */
export const ttl = (ms: number | null) => ({ ttlMs: ms, pausedTtlMs: ms });
