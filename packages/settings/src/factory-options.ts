import type { AgentFactoryOptions, AnyTool, Model, ModelBackend } from '@agent-state/core';
import { type CheckpointerOptions, checkpointerOf, checkpointerOptions, storeOfPersistence } from './checkpointer.ts';
import { defaultModelOf, modelsOf } from './models.ts';
import { assertOptions } from './options.ts';
import type { Settings } from './settings.ts';
import { timeToLive } from './time-to-live.ts';

export interface FactoryOptions extends CheckpointerOptions {
  /** The model packages that the application installed; default none. */
  readonly modelBackends?: readonly ModelBackend[];
  /** The registry that profiles name their tools from. */
  readonly tools?: readonly AnyTool[];
  /** Models by connection name, in place of what the settings say of those connections. */
  readonly models?: Readonly<Record<string, Model>>;
}

const known = { ...checkpointerOptions, modelBackends: true, tools: true, models: true } as const;

/**
 * The options of `createAgentFactory` that these settings mean; spread them to add others. Opens the checkpointer, which
 * the caller closes. Where agents are disabled nothing is opened, and the factory's `create` refuses.
 */
export function agentFactoryOptions(settings: Settings, options: FactoryOptions): AgentFactoryOptions {
  assertOptions(options, known);
  const { agents, persistence } = settings;
  const tools = options.tools ?? [];
  if (!agents.enabled) return { enabled: false, profiles: {}, models: {}, tools };
  const models = modelsOf(settings, options.modelBackends ?? [], options.models ?? {});
  const defaultModel = defaultModelOf(settings);
  return {
    enabled: true,
    profiles: agents.profiles,
    ...(agents.defaultProfile !== undefined && { defaultProfile: agents.defaultProfile }),
    models,
    ...(defaultModel !== undefined && { defaultModel }),
    tools,
    checkpointer: checkpointerOf(settings, options),
    ttl: persistence && timeToLive(persistence, storeOfPersistence(settings)),
    onBusy: persistence?.onBusy,
    onStoreDown: persistence?.onStoreDown,
    onVanished: persistence?.onVanished,
    heartbeatMs: milliseconds(persistence?.heartbeatSeconds),
    busyWaitMs: milliseconds(persistence?.busyWaitSeconds),
  };
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}
