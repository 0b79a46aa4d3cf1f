import type { AgentService } from '../agent/api.ts';
import type { AgentEvent } from '../agent/events.ts';
import { type AgentFactory, createAgentFactory } from '../agent/factory.ts';
import type { AgentFactoryOptions } from '../agent/options.ts';
import type { Tool } from '../agent/tool.ts';
import type { Model, ModelAnswer, ModelRequest } from '../model/model.ts';
import { createScriptedModel, type ScriptedTurn } from '../model/scripted.ts';
import type { Capabilities } from '../protocol/capabilities.ts';
import { defineCheckpointer } from '../protocol/define.ts';
import { createFaulty, type Faulty } from './faulty.ts';
import { asks, toolCall } from './samples.ts';
import { createTextStore, type TextStore } from './text-store.ts';
import { createVirtualRuntime, type VirtualRuntime } from './virtual-runtime.ts';

/** A model's turn that asks for these tools, without arguments. */
export const asksFor = (...tools: readonly string[]): ModelAnswer => ({
  content: null,
  toolCalls: asks(...tools.map((name, index) => toolCall(`c${index + 1}`, name))).metadata?.tool_calls ?? [],
});

export const says = (content: string): ModelAnswer => ({ content });

export function named(name: string, execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  return { name, description: '', parameters: { type: 'object' }, execute, ...more };
}

/** A store that several processes share, under one clock. */
export interface World {
  readonly runtime: VirtualRuntime;
  readonly store: TextStore;
  /** A process: a factory of its own, with a client of its own that a test can break. */
  readonly process: (
    turns: readonly ScriptedTurn[],
    tools?: readonly Tool[],
    options?: Partial<AgentFactoryOptions>,
  ) => Process;
}

export interface Process {
  readonly client: Faulty;
  readonly factory: AgentFactory;
  readonly agent: AgentService;
  readonly events: AgentEvent[];
  readonly types: () => AgentEvent['type'][];
  readonly warnings: string[];
  /** What the model was asked. */
  readonly requests: ModelRequest[];
}

export function createWorld(capabilities: Partial<Capabilities> = {}): World {
  const runtime = createVirtualRuntime();
  const store = createTextStore(capabilities);
  return {
    runtime,
    store,
    process(turns, tools = [], options = {}) {
      const client = createFaulty(defineCheckpointer(store, runtime));
      const events: AgentEvent[] = [];
      const warnings: string[] = [];
      const requests: ModelRequest[] = [];
      const factory = createAgentFactory({
        profiles: { bot: { name: 'bot', systemPrompt: 'Be kind.', tools: tools.map(({ name }) => name) } },
        defaultProfile: 'bot',
        models: { m: watched(createScriptedModel(turns), requests) },
        defaultModel: 'm',
        tools,
        checkpointer: client,
        runtime,
        logger: { info() {}, warn: (_, message) => void warnings.push(message), error() {} },
        onEvent: (event) => void events.push(event),
        ...options,
      });
      const agent = factory.create({ threadId: 't' });
      return { client, factory, agent, events, types: () => events.map(({ type }) => type), warnings, requests };
    },
  };
}

function watched(model: Model, requests: ModelRequest[]): Model {
  return {
    ...model,
    generate(request) {
      requests.push(request);
      return model.generate(request);
    },
  };
}
