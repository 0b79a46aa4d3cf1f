import type { Checkpointer, CheckpointerAdapter } from '@agent-state/core';
import { configurationError, inSettingsWords } from './faults.ts';
import { assertTenant, namespaceOf } from './namespace.ts';
import { assertOptions } from './options.ts';
import { assertProviderKeys } from './provider-keys.ts';
import type { PersistenceSettings, Settings, StoreConnection } from './settings.ts';
import { own } from './table.ts';
import { groupOf } from './used-store.ts';

export interface CheckpointerOptions {
  /** The adapters that the application installed. */
  readonly adapters: readonly CheckpointerAdapter[];
  /** Whose threads these are; needs a `key_resolver` on the connection, whose own `tenant` it replaces. */
  readonly tenant?: string;
}

export const checkpointerOptions = { adapters: true, tenant: true } as const;

const packages: Readonly<Record<string, string>> = {
  redis: '@agent-state/kv-redis',
  memory: '@agent-state/kv-memory',
  local: '@agent-state/kv-memory',
  mongo: '@agent-state/doc-mongo',
  mongodb: '@agent-state/doc-mongo',
  sqlite: '@agent-state/doc-sqlite',
};

/**
 * The checkpointer that `[ai.agents.persistence]` describes; undefined where persistence is off. Whoever called closes
 * it. `configuration` where no adapter that was handed over serves the backend, with the package to install.
 */
export function createCheckpointerFromSettings(
  settings: Settings,
  options: CheckpointerOptions,
): Checkpointer | undefined {
  assertOptions(options, checkpointerOptions);
  return checkpointerOf(settings, options);
}

export function checkpointerOf(settings: Settings, options: CheckpointerOptions): Checkpointer | undefined {
  const { persistence } = settings;
  const store = storeOfPersistence(settings);
  if (persistence === undefined || store === undefined) return undefined;
  assertTenant(options, store);
  const adapter = adapterFor(persistence, store, options.adapters);
  assertProviderKeys(['database', groupOf(persistence.strategy), store.name], store.provider, adapter.providerKeys);
  const namespace = namespaceOf(persistence, store, options.tenant);
  const at = `database.${groupOf(persistence.strategy)}.${store.name}`;
  return inSettingsWords(at, () => adapter.connect({ name: store.name, provider: store.provider, namespace }));
}

/** The connection that persistence uses; undefined where persistence is off. */
export function storeOfPersistence({ persistence, database }: Settings): StoreConnection | undefined {
  if (!persistence?.enabled || persistence.connectionName === undefined) return undefined;
  return own(database[groupOf(persistence.strategy)], persistence.connectionName);
}

function adapterFor(
  { strategy }: PersistenceSettings,
  { name, backend = '' }: StoreConnection,
  adapters: readonly CheckpointerAdapter[],
): CheckpointerAdapter {
  const serving = adapters.filter(({ backends }) => backends.includes(backend));
  const adapter = serving.find((candidate) => candidate.strategy === strategy);
  if (adapter !== undefined) return adapter;
  const path = `database.${groupOf(strategy)}.${name}.backend`;
  const [other] = serving;
  if (other !== undefined) {
    const advice = `Set strategy = "${other.strategy}", and put the connection in [database.${groupOf(other.strategy)}].`;
    throw configurationError(
      path,
      `${path}: "${backend}" serves the strategy "${other.strategy}", not "${strategy}". ${advice}`,
    );
  }
  throw configurationError(path, `${path}: no adapter for "${backend}" was handed over. ${adviceFor(backend)}`);
}

function adviceFor(backend: string): string {
  const known = own(packages, backend);
  if (known !== undefined) return `Install ${known} and add its adapter to the option adapters.`;
  return `Add one to the option adapters; published are those for ${Object.keys(packages).join(', ')}.`;
}
