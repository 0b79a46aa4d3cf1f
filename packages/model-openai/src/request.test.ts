import type { Message } from '@agent-state/core';
import { expect, it } from 'vitest';
import { bodyOf, chatMessage } from './request.ts';

const call = { id: 'c1', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Bonn"}' } };

it.each<[string, Message, unknown]>([
  ['a text', { role: 'user', content: 'hi' }, { role: 'user', content: 'hi' }],
  ['a name', { role: 'user', content: 'hi', name: 'alice' }, { role: 'user', content: 'hi', name: 'alice' }],
  ['a name that the API would refuse', { role: 'user', content: 'hi', name: 'a b' }, { role: 'user', content: 'hi' }],
  [
    'parts',
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
  ],
  ['our own metadata', { role: 'user', content: 'hi', metadata: { input_id: 'i' } }, { role: 'user', content: 'hi' }],
  [
    'calls',
    {
      role: 'assistant',
      content: null,
      metadata: { tool_calls: [call], usage: { input_tokens: 1, output_tokens: 1 } },
    },
    { role: 'assistant', content: null, tool_calls: [call] },
  ],
  [
    'a result',
    { role: 'tool', content: 'sun', name: 'weather', metadata: { tool_call_id: 'c1' } },
    { role: 'tool', tool_call_id: 'c1', content: 'sun' },
  ],
  ['an answer of nothing', { role: 'assistant', content: null }, { role: 'assistant', content: '' }],
])('sends %s as the API has it', (_what, message, expected) => {
  expect(chatMessage(message)).toEqual(expected);
});

it('asks for a stream, and for its usage, only where the caller takes pieces', () => {
  const settings = { model: 'm', parameters: {} };
  expect(bodyOf(settings, { messages: [], tools: [] })).toEqual({ model: 'm', messages: [] });
  expect(bodyOf(settings, { messages: [], tools: [], onText() {} })).toEqual({
    model: 'm',
    messages: [],
    stream: true,
    stream_options: { include_usage: true },
  });
});

it('sends the parameters as they are, but never in the place of its own fields', () => {
  const parameters = { temperature: 0, model: 'other', messages: 'none' };
  const tool = { name: 'weather', description: 'Says it', parameters: { type: 'object' } };
  expect(bodyOf({ model: 'm', parameters }, { messages: [], tools: [tool] })).toEqual({
    temperature: 0,
    model: 'm',
    messages: [],
    tools: [{ type: 'function', function: tool }],
  });
});
