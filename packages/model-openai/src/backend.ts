import { isAgentStateError, type ModelBackend, type ModelConnection } from '@agent-state/core';
import { createOpenAiModel } from './model.ts';
import { misconfigured, type OpenAiModelOptions } from './options.ts';

/**
 * For a settings file with `backend = "openai"`. Its `provider` table holds `base_url` (default: OpenAI itself),
 * `api_key` and `organization_id`; `timeout` is that of one attempt.
 */
export const openAiModelBackend: ModelBackend = Object.freeze<ModelBackend>({
  backend: 'openai',
  providerKeys: Object.freeze(['base_url', 'api_key', 'organization_id']),
  create(connection) {
    try {
      return createOpenAiModel(optionsOf(connection));
    } catch (error) {
      throw inSettingsWords(error);
    }
  },
});

function optionsOf({ defaultModel, timeoutSeconds, provider }: ModelConnection): OpenAiModelOptions {
  const apiKey = textIn(provider, 'api_key');
  const baseUrl = textIn(provider, 'base_url');
  const organizationId = textIn(provider, 'organization_id');
  if (baseUrl === undefined && apiKey === undefined) {
    throw misconfigured('provider.api_key', 'is needed where there is no provider.base_url');
  }
  return {
    model: defaultModel,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(timeoutSeconds === undefined ? {} : { timeoutMs: Math.round(timeoutSeconds * 1_000) }),
  };
}

/** An empty text means absent: that is how a settings file or the environment takes a setting away. */
function textIn(provider: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = provider[key];
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw misconfigured(`provider.${key}`, 'has to be a string');
}

const settingNames: Readonly<Record<string, string>> = {
  model: 'default_model',
  timeoutMs: 'timeout',
  baseUrl: 'provider.base_url',
  apiKey: 'provider.api_key',
  organizationId: 'provider.organization_id',
};

/** The fault as the person who wrote the settings file knows it. */
function inSettingsWords(error: unknown): unknown {
  const path = isAgentStateError(error, 'configuration') ? error.path : undefined;
  const name = settingNames[path ?? ''];
  if (path === undefined || name === undefined) return error;
  return misconfigured(name, (error as Error).message.slice(path.length + 1).replace(/\.$/, ''));
}
