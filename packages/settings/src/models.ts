import type { Model, ModelBackend, ModelConnection } from '@agent-state/core';
import { configurationError, inSettingsWords } from './faults.ts';
import { assertProviderKeys } from './provider-keys.ts';
import type { LlmConnection, Settings } from './settings.ts';
import { own, showPath } from './table.ts';

const packages: Readonly<Record<string, string>> = { openai: '@agent-state/model-openai' };

/** The connection of profiles that name none. */
export function defaultModelOf({ agents, llms }: Settings): string | undefined {
  return agents.defaultConnectionName ?? llms.defaultConnectionName;
}

/**
 * The models that the agents of these settings may use, by connection. `given` ones come first and need no connection;
 * a name that has neither is left out, for the agent's creation to refuse.
 */
export function modelsOf(
  settings: Settings,
  backends: readonly ModelBackend[],
  given: Readonly<Record<string, Model>>,
): Readonly<Record<string, Model>> {
  const named = Object.values(settings.agents.profiles).map(({ connectionName }) => connectionName);
  const names = new Set([...named, defaultModelOf(settings)].filter((name) => name !== undefined));
  const made = [...names].flatMap((name) => {
    const connection = own(settings.llms.connections, name);
    return connection === undefined || own(given, name) !== undefined ? [] : [[name, modelOf(connection, backends)]];
  });
  return Object.freeze(Object.fromEntries([...made, ...Object.entries(given)]));
}

function modelOf(connection: LlmConnection, backends: readonly ModelBackend[]): Model {
  const at = (key: string) => showPath(['ai', 'llms', 'connections', connection.name, key]);
  assertUsable(connection, at);
  const backend = backends.find((candidate) => candidate.backend === connection.backend);
  if (backend !== undefined) {
    assertProviderKeys(['ai', 'llms', 'connections', connection.name], connection.provider, backend.providerKeys);
    const named = requestOf(connection, at('default_model'));
    return inSettingsWords(`ai.llms.connections.${connection.name}`, () => backend.create(named));
  }
  const known = own(packages, connection.backend ?? '');
  const advice = known === undefined ? '' : ` Install ${known}.`;
  throw configurationError(
    at('backend'),
    `${at('backend')}: no model backend for "${connection.backend}" was handed over.${advice} Add it to the option modelBackends, or give the model itself in models.`,
  );
}

function requestOf({ name, defaultModel, timeoutSeconds, provider }: LlmConnection, path: string): ModelConnection {
  if (defaultModel === undefined) throw configurationError(path, `${path}: missing.`);
  return { name, defaultModel, provider, ...(timeoutSeconds !== undefined && { timeoutSeconds }) };
}

function assertUsable({ name, enabled, backend, wrappers }: LlmConnection, at: (key: string) => string): void {
  if (!enabled) {
    throw configurationError(
      at('enabled'),
      `${at('enabled')}: a profile uses the model connection ${name}, which has enabled = false.`,
    );
  }
  if (backend === undefined) throw configurationError(at('backend'), `${at('backend')}: missing.`);
  if (wrappers.length === 0) return;
  throw configurationError(
    at('wrappers'),
    `${at('wrappers')}: ${wrappers.join(', ')}: wrappers around models are not applied. Set enabled = false, or give a model of your own that does it in the option models.`,
  );
}
