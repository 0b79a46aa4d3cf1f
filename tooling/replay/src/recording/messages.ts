import { fail } from './fault.ts';
import type { PlainMessage, RecordedCall } from './recording.ts';

const roles = ['system', 'developer', 'user', 'assistant', 'tool'];

/** One message of the OpenAI chat format, or a fault that names where it departs from it. */
export function toMessage(value: unknown, path: string): PlainMessage {
  const { role, content, name, tool_calls: calls, tool_call_id: callId } = object(value, path);
  if (typeof role !== 'string' || !roles.includes(role)) fail(`${path}.role`, `has to be one of ${roles.join(', ')}`);
  if (name !== undefined && typeof name !== 'string') fail(`${path}.name`, 'has to be a string');
  if (role === 'tool') text(callId, `${path}.tool_call_id`);
  return {
    role,
    content: toContent(role, content, `${path}.content`),
    ...(name === undefined ? {} : { name }),
    calls: role === 'assistant' ? toCalls(calls, `${path}.tool_calls`) : [],
    ...(role === 'tool' ? { callId: text(callId, `${path}.tool_call_id`) } : {}),
  };
}

export function object(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(path, 'has to be an object');
  return value as Readonly<Record<string, unknown>>;
}

export function text(value: unknown, path: string): string {
  return typeof value === 'string' && value !== '' ? value : fail(path, 'has to be a string that is not empty');
}

/** Only an assistant's message may be without content; a tool's result is text. */
function toContent(role: string, content: unknown, path: string): unknown {
  if (typeof content === 'string') return content;
  if (role === 'assistant' && (content === null || content === undefined)) return null;
  if (role !== 'tool' && Array.isArray(content)) return content.map((part, index) => object(part, `${path}[${index}]`));
  return fail(path, role === 'tool' ? 'has to be a string' : 'has to be a string or an array of parts');
}

function toCalls(calls: unknown, path: string): RecordedCall[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) fail(path, 'has to be an array');
  return (calls as unknown[]).map((call, index) => toCall(call, `${path}[${index}]`));
}

function toCall(value: unknown, path: string): RecordedCall {
  const { id, type, function: called } = object(value, path);
  if (type !== 'function') fail(`${path}.type`, 'has to be "function"');
  const { name, arguments: args } = object(called, `${path}.function`);
  if (typeof args !== 'string') fail(`${path}.function.arguments`, 'has to be a string');
  return { id: text(id, `${path}.id`), name: text(name, `${path}.function.name`), arguments: args };
}
