import type { AgentProfile } from '@agent-state/core';
import type { Table } from './table.ts';

/** What the settings say, checked and frozen. However it is printed, no secret shows. */
export interface Settings {
  /** The active environment, in lower case. */
  readonly environment?: string;
  /** The files with their sections, and the environment variables, that were read; the last has the last word. */
  readonly sources: readonly string[];
  readonly agents: AgentsSettings;
  /** Absent where there is no `[ai.agents.persistence]`. */
  readonly persistence?: PersistenceSettings;
  readonly llms: LlmsSettings;
  readonly database: DatabaseSettings;
}

export interface AgentsSettings {
  readonly enabled: boolean;
  readonly defaultProfile?: string;
  /** The model connection of profiles that name none; before the one of `[ai.llms]`. */
  readonly defaultConnectionName?: string;
  /** By the name of their table, without those that are not enabled. */
  readonly profiles: Readonly<Record<string, AgentProfile>>;
}

export type Strategy = 'kv_store' | 'document';

export interface PersistenceSettings {
  readonly enabled: boolean;
  readonly strategy: Strategy;
  readonly connectionName?: string;
  readonly namespace: string;
  /** After the last save; null: for ever; left out: the connection's `default_ttl`, else what a thread has. */
  readonly ttlSeconds?: number | null;
  readonly pausedTtlSeconds?: number | null;
  readonly onBusy?: 'wait' | 'takeOver' | 'throw';
  readonly onStoreDown?: 'volatile' | 'wait' | 'throw';
  readonly onVanished?: 'restore' | 'stop';
  readonly heartbeatSeconds?: number;
  readonly busyWaitSeconds?: number;
}

export interface LlmsSettings {
  readonly defaultConnectionName?: string;
  readonly connections: Readonly<Record<string, LlmConnection>>;
}

export interface LlmConnection {
  readonly name: string;
  readonly enabled: boolean;
  readonly backend?: string;
  readonly defaultModel?: string;
  readonly timeoutSeconds?: number;
  /** As written, secrets filled in where an agent uses the connection. */
  readonly provider: Table;
  /** The names of its wrappers that are enabled; none is applied. */
  readonly wrappers: readonly string[];
}

export interface DatabaseSettings {
  readonly kvstore: Readonly<Record<string, StoreConnection>>;
  readonly documents: Readonly<Record<string, StoreConnection>>;
}

export interface StoreConnection {
  readonly name: string;
  readonly enabled: boolean;
  readonly backend?: string;
  readonly namespace?: string;
  /** As written, secrets filled in where persistence uses the connection. */
  readonly provider: Table;
  /** What its enabled wrappers say; only looked at where persistence uses the connection. */
  readonly wrappers: WrapperSettings;
}

export interface WrapperSettings {
  readonly defaultTtlSeconds?: number;
  readonly keyResolver?: KeyResolverSettings;
}

export interface KeyResolverSettings {
  readonly staticPrefix?: string;
  readonly tenant?: string;
  /** A checkpointer that is for no tenant is refused, not one on the threads of nobody. */
  readonly tenantRequired?: boolean;
  /** In place of the connection's. */
  readonly namespace?: string;
}
