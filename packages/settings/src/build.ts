import type { AgentProfile } from '@agent-state/core';
import * as v from 'valibot';
import { guarded } from './masking.ts';
import {
  agentsSchema,
  kvConnectionSchema,
  llmConnectionSchema,
  llmsSchema,
  persistenceSchema,
  profileSchema,
} from './schema.ts';
import type { Provider } from './secrets.ts';
import type {
  AgentsSettings,
  LlmConnection,
  LlmsSettings,
  PersistenceSettings,
  Settings,
  StoreConnection,
} from './settings.ts';
import { isTable, own, type Path, showPath, type Table, tableAt } from './table.ts';
import { connectionNames, nameOfStore } from './used-store.ts';
import { wrapperSettings } from './wrappers.ts';

type Providers = ReadonlyMap<string, Provider>;

/** The typed settings, frozen, of tables that were checked before. */
export function buildSettings(
  tables: Table,
  providers: Providers,
  origin: { readonly environment: string | undefined; readonly sources: readonly string[] },
): Settings {
  const ai = tableAt(tables, 'ai');
  const persistence = own(tableAt(ai, 'agents'), 'persistence');
  const database = tableAt(tables, 'database');
  return Object.freeze({
    ...present({ environment: origin.environment }),
    sources: Object.freeze([...origin.sources]),
    agents: agentsOf(tableAt(ai, 'agents')),
    ...(isTable(persistence) && { persistence: persistenceOf(persistence, nameOfStore(tables)) }),
    llms: llmsOf(tableAt(ai, 'llms'), providers),
    database: Object.freeze({
      kvstore: storesOf(tableAt(database, 'kvstore'), ['database', 'kvstore'], providers),
      documents: storesOf(tableAt(database, 'documents'), ['database', 'documents'], providers),
    }),
  });
}

function agentsOf(table: Table): AgentsSettings {
  const agents = v.parse(agentsSchema, table);
  const profiles = Object.entries(tableAt(tableAt(table, 'profiles'), 'connections')).flatMap(([key, value]) => {
    const profile = v.parse(profileSchema, value);
    return profile.enabled ? [[key, profileOf(key, profile)] as const] : [];
  });
  return Object.freeze({
    enabled: agents.enabled,
    ...present({ defaultProfile: agents.default_profile, defaultConnectionName: agents.default_connection_name }),
    profiles: Object.freeze(Object.fromEntries(profiles)),
  });
}

function profileOf(key: string, profile: v.InferOutput<typeof profileSchema>): AgentProfile {
  return Object.freeze({
    name: profile.name ?? key,
    ...present({
      description: profile.description,
      systemPrompt: profile.system_prompt,
      connectionName: profile.connection_name,
      maxIterations: profile.max_iterations,
      maxExecutionTimeSeconds: profile.max_execution_time_seconds,
      tools: profile.tools && Object.freeze([...profile.tools]),
    }),
  });
}

function persistenceOf(table: Table, connectionName: string | undefined): PersistenceSettings {
  const persistence = v.parse(persistenceSchema, table);
  const onBusy = persistence.on_busy === 'take_over' ? ('takeOver' as const) : persistence.on_busy;
  return Object.freeze({
    enabled: persistence.enabled,
    strategy: persistence.strategy,
    namespace: persistence.namespace,
    ...present({
      connectionName,
      ttlSeconds: lifetime(persistence.ttl_seconds),
      pausedTtlSeconds: lifetime(persistence.paused_ttl_seconds),
      onBusy,
      onStoreDown: persistence.on_store_down,
      onVanished: persistence.on_vanished,
      heartbeatSeconds: persistence.heartbeat_seconds,
      busyWaitSeconds: persistence.busy_wait_seconds,
    }),
  });
}

function lifetime(seconds: number | 'never' | undefined): number | null | undefined {
  return seconds === 'never' ? null : seconds;
}

function llmsOf(table: Table, providers: Providers): LlmsSettings {
  const llms = v.parse(llmsSchema, table);
  const connections = Object.entries(tableAt(table, 'connections')).map(([name, value]) => [
    name,
    llmOf(name, v.parse(llmConnectionSchema, value), providers),
  ]);
  return Object.freeze({
    ...present({ defaultConnectionName: llms.default_connection_name }),
    connections: Object.freeze(Object.fromEntries(connections)),
  });
}

function llmOf(
  name: string,
  connection: v.InferOutput<typeof llmConnectionSchema>,
  providers: Providers,
): LlmConnection {
  const wrappers = connection.wrappers
    .filter((wrapper) => wrapper.enabled !== false)
    .map((wrapper) => String(wrapper.name));
  return Object.freeze({
    name,
    enabled: connection.enabled,
    ...present({
      backend: connection.backend,
      defaultModel: connection.default_model,
      timeoutSeconds: connection.timeout,
    }),
    provider: providerOf(connection.provider, ['ai', 'llms', 'connections', name], providers),
    wrappers: Object.freeze(wrappers),
  });
}

function storesOf(group: Table, at: Path, providers: Providers): Readonly<Record<string, StoreConnection>> {
  const connections = connectionNames(group).map((name) => [name, storeOf(name, tableAt(group, name), at, providers)]);
  return Object.freeze(Object.fromEntries(connections));
}

function storeOf(name: string, table: Table, at: Path, providers: Providers): StoreConnection {
  const connection = v.parse(kvConnectionSchema, table);
  const inner = connection.provider.backend;
  return Object.freeze({
    name,
    enabled: connection.enabled,
    ...present({
      backend: connection.backend ?? (typeof inner === 'string' ? inner : undefined),
      namespace: connection.namespace,
    }),
    provider: providerOf(connection.provider, [...at, name], providers),
    wrappers: Object.freeze(wrapperSettings(table)),
  });
}

function providerOf(table: Table, path: Path, providers: Providers): Table {
  const resolved = providers.get(showPath(path));
  return resolved === undefined ? guarded(table) : guarded(resolved.value, resolved.shown);
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the keys that are undefined: absent is absent. */
function present<T extends object>(values: T): Present<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<T>;
}
