import { fileURLToPath } from 'node:url';
import { type AgentFactory, type Checkpointer, createAgentFactory, type Logger, type Tool } from '@agent-state/core';
import { mongoAdapter } from '@agent-state/doc-mongo';
import { sqliteAdapter } from '@agent-state/doc-sqlite';
import { memoryAdapter } from '@agent-state/kv-memory';
import { redisAdapter } from '@agent-state/kv-redis';
import { openAiModelBackend } from '@agent-state/model-openai';
import { agentFactoryOptions, loadSettings } from '@agent-state/settings';
import { scriptedBackend } from './scripted.ts';

const settingsFile = fileURLToPath(new URL('../settings.toml', import.meta.url));

export interface BotOptions {
  readonly tools: readonly Tool[];
  /** A section of settings.toml; default: `[default]` alone. */
  readonly store?: string;
  /** A connection of `[ai.llms]`; default: the scripted one. */
  readonly model?: string;
  readonly logger?: Logger;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Bot {
  readonly factory: AgentFactory;
  readonly checkpointer: Checkpointer;
}

/** The bot as settings.toml describes it, with the adapters that this application installed. */
export async function createBot({ tools, store, model, logger, env = process.env }: BotOptions): Promise<Bot> {
  const settings = await loadSettings({
    path: settingsFile,
    ...(store === undefined || store === 'sqlite' ? {} : { environment: store }),
    env: model === undefined ? env : { ...env, [modelVariable]: model },
    resolveSecret: ({ key }) => secretFrom(env, key),
  });
  const options = agentFactoryOptions(settings, {
    adapters: [sqliteAdapter, redisAdapter, mongoAdapter, memoryAdapter],
    modelBackends: [scriptedBackend, openAiModelBackend],
    tools,
  });
  const { checkpointer } = options;
  if (!checkpointer) throw new Error('The bot needs [ai.agents.persistence].');
  return { factory: createAgentFactory({ ...options, ...(logger ? { logger } : {}) }), checkpointer };
}

const modelVariable = 'AGENT_STATE_AI__AGENTS__PROFILES__CONNECTIONS__SUPPORT_BOT__CONNECTION_NAME';

function secretFrom(env: Readonly<Record<string, string | undefined>>, key: string): string {
  const secret = env[key];
  if (secret) return secret;
  throw new Error(`Set the environment variable ${key}, or leave --model out to talk to the scripted model.`);
}
