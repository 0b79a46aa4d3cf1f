import {
  type AgentFactory,
  type Checkpointer,
  createAgentFactory,
  createScriptedModel,
  type ModelAnswer,
} from '@agent-state/core';

/** Agents whose model says this, with a tool `work`. */
export function factoryOn(checkpointer: Checkpointer, turns: readonly ModelAnswer[]): AgentFactory {
  return createAgentFactory({
    profiles: { bot: { name: 'bot', tools: ['work'] } },
    defaultProfile: 'bot',
    models: { scripted: createScriptedModel(turns) },
    defaultModel: 'scripted',
    tools: [{ name: 'work', description: 'Works.', parameters: { type: 'object' }, execute: () => 'worked' }],
    checkpointer,
  });
}

export function toolCalls(...names: readonly string[]): ModelAnswer {
  const call = (name: string, index: number) => ({ id: `call ${index}`, function: { name, arguments: '{}' } });
  return { content: null, toolCalls: names.map((name, index) => ({ ...call(name, index), type: 'function' })) };
}
