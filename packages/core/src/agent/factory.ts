import { assertThreadId } from '../protocol/ids.ts';
import { consoleLogger, type Logger } from '../protocol/logger.ts';
import { assertKnown } from '../protocol/options.ts';
import { systemRuntime } from '../protocol/runtime.ts';
import type { AgentService } from './api.ts';
import { limitsOf, modelOf, profileOf, toolsFor, toolsOf } from './choices.ts';
import { type CloseOptions, closeDeadline } from './close-options.ts';
import type { AgentContext } from './context.ts';
import { assertFactoryOptions } from './factory-options.ts';
import { guardedListener, guardedLogger } from './guards.ts';
import { createHubs } from './hubs.ts';
import { type AgentFactoryOptions, type CreateOptions, createOptions } from './options.ts';
import { createSaver } from './saving/create-saver.ts';
import type { UnsavedThread } from './saving/hub.ts';
import { createAgentService } from './service.ts';
import { isUndescribed, type Tool, toolRegistry } from './tool.ts';

export interface AgentFactory {
  /**
   * An agent of a profile on a thread. Throws `configuration` for an unknown profile, tool or model, or where agents are
   * disabled, and `invalid_thread_id`; nothing is read or written yet.
   */
  create(options?: CreateOptions): AgentService;
  /**
   * Takes no further runs, waits for all runs and saves, `deadlineMs` (default 5,000) at most, and hands out what could
   * not be stored. A run that has not ended by then is aborted and throws `closed`. Agents without a store are closed
   * with the others; there is nothing of them to hand out.
   */
  close(options?: CloseOptions): Promise<{ readonly unsaved: readonly UnsavedThread[] }>;
}

export function createAgentFactory(options: AgentFactoryOptions): AgentFactory {
  assertFactoryOptions(options);
  const { runtime = systemRuntime, checkpointer } = options;
  const hubs = createHubs(runtime);
  const logger = guardedLogger(options.logger ?? consoleLogger);
  const emit = guardedListener(options.onEvent, logger);
  const saver = checkpointer && createSaver(checkpointer, options, { hub: hubs.shared, runtime, logger, emit });
  const registry = toolRegistry(options.tools ?? []);
  for (const profile of Object.values(options.profiles)) toolsOf(profile, registry);
  for (const tool of registry.values()) warnIfUndescribed(tool, logger);

  return Object.freeze<AgentFactory>({
    create(asked = {}) {
      assertKnown(asked, createOptions);
      const { profile: name, threadId } = asked;
      const profile = profileOf(options, name);
      if (threadId !== undefined) assertThreadId(threadId);
      const persistent = threadId !== undefined && saver !== undefined;
      const context: AgentContext = {
        threadId: threadId ?? runtime.id(),
        profile: profile.name,
        systemPrompt: profile.systemPrompt,
        shownPrompt: options.systemPrompt ?? 'current',
        model: modelOf(options, profile),
        tools: toolsFor(options, toolsOf(profile, registry), persistent),
        variables: options.variables,
        view: options.view,
        limits: limitsOf(options, profile),
        onBusy: options.onBusy ?? 'wait',
        hub: persistent ? hubs.shared : hubs.own(),
        saver: persistent ? saver : undefined,
        runtime,
        emit,
      };
      return createAgentService(context, persistent ? checkpointer : undefined);
    },
    async close(options = {}) {
      return { unsaved: await hubs.close(closeDeadline(options, 5_000)) };
    },
  });
}

function warnIfUndescribed(tool: Tool, logger: Logger): void {
  if (!isUndescribed(tool)) return;
  logger.warn(
    { tool: tool.name },
    'The model is not told what arguments this tool takes: its schema has no JSON Schema. Add jsonSchema to the tool.',
  );
}
