import { isDeepStrictEqual } from 'node:util';
import type { Message, ThreadState } from '@agent-state/core';
import type { PlainMessage, RecordedCall, Recording } from './recording/recording.ts';
import { fromStored } from './recording/stored.ts';

/** Where a stored thread is not the recorded one. Content is not shown. */
export interface Difference {
  /** Index of the message in the recording. */
  readonly index: number;
  /** Which part of the message, as the recording names it; `missing` or `too many` for a whole one. */
  readonly field: string;
}

/** All messages that differ, each with its first field that does. */
export function differences({ messages }: Recording, state: ThreadState | undefined): Difference[] {
  const stored = state ? messagesOf(state).map(fromStored) : [];
  return Array.from({ length: Math.max(messages.length, stored.length) }, (_, index) => {
    const field = fieldThatDiffers(messages[index], stored[index]);
    return field === undefined ? [] : [{ index, field }];
  }).flat();
}

/** The history, and behind it the results of a turn that is not complete. */
function messagesOf({ history, run }: ThreadState): readonly Message[] {
  return [...history, ...(run?.calls ?? []).flatMap(({ result }) => (result ? [result] : []))];
}

function fieldThatDiffers(recorded: PlainMessage | undefined, stored: PlainMessage | undefined): string | undefined {
  if (!recorded) return 'too many';
  if (!stored) return 'missing';
  if (recorded.role !== stored.role) return 'role';
  if (!isDeepStrictEqual(stored.content, recorded.content)) return 'content';
  if (recorded.name !== stored.name) return 'name';
  if (recorded.callId !== stored.callId) return 'tool_call_id';
  return callThatDiffers(recorded.calls, stored.calls);
}

function callThatDiffers(recorded: readonly RecordedCall[], stored: readonly RecordedCall[]): string | undefined {
  if (recorded.length !== stored.length) return 'tool_calls';
  for (const [index, call] of recorded.entries()) {
    const other = stored[index];
    if (call.id !== other?.id) return `tool_calls[${index}].id`;
    if (call.name !== other.name) return `tool_calls[${index}].function.name`;
    if (call.arguments !== other.arguments) return `tool_calls[${index}].function.arguments`;
  }
  return undefined;
}
