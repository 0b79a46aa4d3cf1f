import { createScriptedModel, type Model, type ToolCall } from '@agent-state/core';

export const call = (name: string, args: object): ToolCall => ({
  id: `call-${name}`,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
});

/** A model that asks for a tool, and answers when it has the result. */
export const script = (name: string, args: object, answer: string): Model =>
  createScriptedModel([{ content: null, toolCalls: [call(name, args)] }, { content: answer }]);
