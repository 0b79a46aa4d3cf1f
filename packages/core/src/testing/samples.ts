import type { Message, OpenCall, RunRecord, ToolCall } from '../state/schema.ts';

export const user = (content: string): Message => ({ role: 'user', content });

export function toolCall(id: string, name = 'look_up', args = '{}'): ToolCall {
  return { id, type: 'function', function: { name, arguments: args } };
}

export function asks(...calls: readonly ToolCall[]): Message {
  return { role: 'assistant', content: null, metadata: { tool_calls: calls } };
}

export function answers(id: string, content: string, name = 'look_up'): Message {
  return { role: 'tool', name, content, metadata: { tool_call_id: id } };
}

export function openCall(id: string, more: Partial<OpenCall> = {}): OpenCall {
  return { id, tool: 'look_up', key: `key-${id}`, effect: 'idempotent', status: 'planned', attempt: 0, ...more };
}

/** A call that is done, with a result that waits for its turn. */
export function doneCall(id: string, content: string, more: Partial<OpenCall> = {}): OpenCall {
  return openCall(id, { status: 'done', result: answers(id, content), ...more });
}

export function runRecord(more: Partial<RunRecord> = {}): RunRecord {
  return {
    id: 'run',
    input_id: 'input',
    phase: 'think',
    epoch: 1,
    claim: 'claim',
    owner: 'host:1:a',
    owner_write: 'claim',
    requests: [],
    attempt: 0,
    iterations: 0,
    active_ms: 0,
    calls: [],
    pending_inputs: [],
    settle: null,
    pause: null,
    error: null,
    ...more,
  };
}
