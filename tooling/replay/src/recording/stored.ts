import type { Message } from '@agent-state/core';
import type { PlainMessage } from './recording.ts';

/** A recorded message as an agent stores it. */
export function toStored({ role, content, name, calls, callId }: PlainMessage): Message {
  const metadata = {
    ...(calls.length > 0 ? { tool_calls: calls.map(toToolCall) } : {}),
    ...(callId === undefined ? {} : { tool_call_id: callId }),
  };
  return {
    // The cast: the reader has checked the role and the content.
    ...({ role, content } as Pick<Message, 'role' | 'content'>),
    ...(name === undefined ? {} : { name }),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
}

export function toToolCall({ id, name, arguments: args }: PlainMessage['calls'][number]) {
  return { id, type: 'function' as const, function: { name, arguments: args } };
}

/** A stored message without what is ours: input ids, usage, what became of a run. */
export function fromStored({ role, content, name, metadata }: Message): PlainMessage {
  return {
    role,
    content,
    ...(name === undefined ? {} : { name }),
    calls: (metadata?.tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called })),
    ...(metadata?.tool_call_id === undefined ? {} : { callId: metadata.tool_call_id }),
  };
}
