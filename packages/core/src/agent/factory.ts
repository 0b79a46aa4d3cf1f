import type { Model } from '../model/model.ts';
import type { Checkpointer } from '../protocol/checkpointer.ts';
import { assertThreadId } from '../protocol/ids.ts';
import { consoleLogger, type Logger } from '../protocol/logger.ts';
import { assertKnown } from '../protocol/options.ts';
import type { TimeToLive } from '../protocol/position.ts';
import { type Runtime, systemRuntime } from '../protocol/runtime.ts';
import type { AgentService } from './api.ts';
import { limitsOf, modelOf, profileOf, toolsFor, toolsOf } from './choices.ts';
import type { AgentContext } from './context.ts';
import type { AgentEvent } from './events.ts';
import { guardedListener, guardedLogger } from './guards.ts';
import { createHub, type UnsavedThread } from './hub.ts';
import { createOptions, factoryOptions } from './known-options.ts';
import type { AgentProfile } from './profile.ts';
import { createSaver } from './saver.ts';
import { createAgentService } from './service.ts';
import type { StandardSchema } from './standard-schema.ts';
import { type AnyTool, isUndescribed, type Tool, toolRegistry } from './tool.ts';
import type { HistoryView } from './view.ts';

export interface AgentFactoryOptions {
  /** False: `create` refuses, as a settings file may ask; default true. */
  readonly enabled?: boolean;
  /** Profiles by name. */
  readonly profiles: Readonly<Record<string, AgentProfile>>;
  readonly defaultProfile?: string;
  /** Models by connection name. */
  readonly models: Readonly<Record<string, Model>>;
  readonly defaultModel?: string;
  /** The registry that profiles name their tools from. */
  readonly tools?: readonly AnyTool[];
  /** Left out: nothing is stored. It is not closed by the factory. */
  readonly checkpointer?: Checkpointer | undefined;
  /** How long a thread lives after its last save; left out: what it has, a new one for ever. */
  readonly ttl?: TimeToLive | undefined;
  /** What to do when the store is down past the budget; default `volatile`: go on in memory. */
  readonly onStoreDown?: 'volatile' | 'wait' | 'throw' | undefined;
  /** What to do with a thread that is gone from the store without a delete; default `restore`: write it again. */
  readonly onVanished?: 'restore' | 'stop' | undefined;
  /** What `run` does by default on a thread that another process works on; default `wait`. */
  readonly onBusy?: 'wait' | 'takeOver' | 'throw' | undefined;
  /**
   * How often a run shows within a long step that it lives, in milliseconds; default 5,000. After three of them without
   * a sign `run` takes a thread over, so it has to be the same in all processes.
   */
  readonly heartbeatMs?: number | undefined;
  /** How long `onBusy: 'wait'` waits for a run that lives, in milliseconds; default 30,000. */
  readonly busyWaitMs?: number | undefined;
  /**
   * Lets profiles have `once` tools on a store that cannot compare and save in one step: two processes could both start
   * one. Default false.
   */
  readonly allowOnceWithoutConditional?: boolean | undefined;
  /** How long one call of the store may take, in milliseconds; default 2,000. */
  readonly storeCallMs?: number | undefined;
  /** How long a save or load is tried before the store counts as down, in milliseconds; default 5,000. */
  readonly storeBudgetMs?: number | undefined;
  /** How many tools of one turn run at the same time; default 8. */
  readonly toolConcurrency?: number;
  /** How often a process may die in the same Think or call before it is given up; default 3. */
  readonly maxAttempts?: number;
  /** Checks the thread's variables whenever a tool changes them. */
  readonly variables?: StandardSchema<object>;
  /** Which system prompt the model is shown where the profile's differs from the stored one; default `current`. */
  readonly systemPrompt?: 'current' | 'stored';
  /** What of the history the model is shown, see {@link lastMessages}; nothing stored is changed. Default: all of it. */
  readonly view?: HistoryView;
  /** pino, console, or anything alike; default: the console, for warnings and errors. */
  readonly logger?: Logger;
  readonly onEvent?: (event: AgentEvent) => void;
  /** Clock, timers, chance and ids; default: the system's. */
  readonly runtime?: Runtime;
}

export interface CreateOptions {
  /** Default: the factory's default profile. */
  readonly profile?: string;
  /** Without it nothing is stored. */
  readonly threadId?: string;
}

export interface AgentFactory {
  /**
   * An agent of a profile on a thread. Throws `configuration` for an unknown profile, tool or model, or where agents are
   * disabled, and `invalid_thread_id`; nothing is read or written yet.
   */
  create(options?: CreateOptions): AgentService;
  /**
   * Takes no further runs, waits for all runs and saves, `deadlineMs` (default 5,000) at most, and hands out what could
   * not be stored. A run that has not ended by then is aborted and throws `closed`.
   */
  close(options?: { readonly deadlineMs?: number }): Promise<{ readonly unsaved: readonly UnsavedThread[] }>;
}

export function createAgentFactory(options: AgentFactoryOptions): AgentFactory {
  assertKnown(options, factoryOptions);
  const { runtime = systemRuntime, checkpointer } = options;
  const hub = createHub(runtime);
  const logger = guardedLogger(options.logger ?? consoleLogger);
  const emit = guardedListener(options.onEvent, logger);
  const saver = checkpointer && createSaver(checkpointer, options, { hub, runtime, logger, emit });
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
        hub: persistent ? hub : createHub(runtime, false),
        saver: persistent ? saver : undefined,
        runtime,
        emit,
      };
      return createAgentService(context, persistent ? checkpointer : undefined);
    },
    async close({ deadlineMs = 5_000 } = {}) {
      return { unsaved: await hub.close(deadlineMs) };
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
