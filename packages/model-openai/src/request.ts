import type { Message, ModelRequest, ToolCall, ToolDescription } from '@agent-state/core';
import type { Settings } from './options.ts';

/** The body of a chat-completions request. */
export function bodyOf(
  { model, parameters }: Pick<Settings, 'model' | 'parameters'>,
  { messages, tools, onText }: Pick<ModelRequest, 'messages' | 'tools' | 'onText'>,
): Record<string, unknown> {
  return {
    ...parameters,
    model,
    messages: messages.map(chatMessage),
    // Servers refuse an empty list of tools.
    ...(tools.length === 0 ? {} : { tools: tools.map(chatTool) }),
    ...(onText ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

/** A message of the history as the API has it: what we keep under `metadata` stands beside the content there. */
export function chatMessage({ role, content, name, metadata }: Message): Record<string, unknown> {
  if (role === 'tool') return { role, tool_call_id: metadata?.tool_call_id ?? '', content: content ?? '' };
  const calls = role === 'assistant' ? (metadata?.tool_calls ?? []) : [];
  return {
    role,
    content: calls.length === 0 ? (content ?? '') : content,
    ...(name !== undefined && isChatName(name) ? { name } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(chatCall) }),
  };
}

/** The API answers a name with other characters by refusing the whole request. */
function isChatName(name: string): boolean {
  return /^[^\s<|\\/>]{1,64}$/.test(name);
}

/** Only what the API knows: a stored call may carry fields of other versions. */
function chatCall({ id, function: { name, arguments: text } }: ToolCall): Record<string, unknown> {
  return { id, type: 'function', function: { name, arguments: text } };
}

function chatTool({ name, description, parameters }: ToolDescription): Record<string, unknown> {
  return { type: 'function', function: { name, description, parameters } };
}
