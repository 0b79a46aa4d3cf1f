import {
  type AgentEvent,
  type AgentFactory,
  type AgentFactoryOptions,
  type AgentService,
  type Checkpointer,
  createAgentFactory,
  createScriptedModel,
  type Logger,
  type Message,
  type ModelAnswer,
  type ScriptedTurn,
  type Tool,
} from '@agent-state/core';

/** A model's turn that calls tools: `calls('look_up', { id: 7 }, 'cancel', {})`. */
export function calls(...pairs: readonly (string | object)[]): ModelAnswer {
  const toolCalls = [];
  for (let index = 0; index < pairs.length; index += 2) {
    const args = pairs[index + 1];
    toolCalls.push({
      id: `call_${index / 2}`,
      type: 'function' as const,
      function: { name: pairs[index] as string, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    });
  }
  return { content: null, toolCalls };
}

export function says(content: string): ModelAnswer {
  return { content };
}

export function tool(name: string, execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  return { name, description: `The tool ${name}.`, parameters: { type: 'object' }, execute, ...more };
}

/** A history in short: who said what. */
export function lines(history: readonly Message[] | undefined): string[] | undefined {
  return history?.map(
    ({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`,
  );
}

/** Something to wait for, opened by somebody else. */
export function createGate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

export interface Recorded {
  readonly events: AgentEvent[];
  readonly warnings: { readonly fields: object; readonly message: string }[];
}

/** A process, as far as the store can tell: a factory of its own, with what it tells written down. */
export function startProcess(
  checkpointer: Checkpointer | undefined,
  turns: readonly ScriptedTurn[],
  tools: readonly Tool[] = [],
  options: Partial<AgentFactoryOptions> = {},
): Recorded & {
  readonly agent: (threadId?: string) => AgentService;
  readonly close: AgentFactory['close'];
  readonly factory: AgentFactory;
} {
  const events: AgentEvent[] = [];
  const warnings: Recorded['warnings'] = [];
  const warn = (fields: object, message: string) => void warnings.push({ fields, message });
  const logger: Logger = { info() {}, warn, error: warn };
  const factory = createAgentFactory({
    profiles: {
      bot: { name: 'bot', systemPrompt: 'Be helpful.', tools: tools.map(({ name }) => name), maxIterations: 50 },
    },
    defaultProfile: 'bot',
    models: { scripted: createScriptedModel(turns) },
    defaultModel: 'scripted',
    tools,
    checkpointer,
    logger,
    onEvent: (event) => void events.push(event),
    ...options,
  });
  return {
    events,
    warnings,
    agent: (threadId) => factory.create(threadId === undefined ? {} : { threadId }),
    close: (options) => factory.close(options),
    factory,
  };
}

/** What a process tells of its store, in order. */
export function told({ events }: Recorded): string[] {
  const ofStore = ['volatile', 'rejoined', 'vanished', 'rolled_back', 'diverged'];
  return events.map(({ type }) => type).filter((type) => ofStore.includes(type));
}
