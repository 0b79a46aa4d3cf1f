import * as v from 'valibot';
import type { Fault } from './faults.ts';
import { notAppliedToStores } from './known-tables.ts';
import { groupSchema, persistenceSchema } from './schema.ts';
import type { Strategy } from './settings.ts';
import { nearest } from './suggestions.ts';
import { isTable, own, type Path, type Table, tableAt } from './table.ts';
import { faultsOfWrappers } from './wrappers.ts';

const groups = {
  kv_store: { key: 'kvstore', fallbackName: 'default_kvstore_connection' },
  document: { key: 'documents', fallbackName: 'default_document_connection' },
} as const;

const strategies: readonly Strategy[] = ['kv_store', 'document'];

const persistencePath = ['ai', 'agents', 'persistence'];

/** The group of `[database]` that a strategy is about. */
export function groupOf(strategy: Strategy): 'kvstore' | 'documents' {
  return groups[strategy].key;
}

/** The names of a group's connections. */
export function connectionNames(group: Table): string[] {
  return Object.keys(group).filter((key) => !Object.hasOwn(groupSchema.entries, key));
}

/** The connection that persistence names; else the default one of its group or of `[database]`. */
export function nameOfStore(settings: Table): string | undefined {
  const persistence = v.parse(persistenceSchema, tableAt(tableAt(tableAt(settings, 'ai'), 'agents'), 'persistence'));
  const database = tableAt(settings, 'database');
  const { key, fallbackName } = groups[persistence.strategy];
  const { default_connection_name } = v.parse(groupSchema, tableAt(database, key));
  const byDefault = default_connection_name ?? own(database, fallbackName);
  return persistence.connection_name ?? (typeof byDefault === 'string' ? byDefault : undefined);
}

/** Where the connection is that persistence uses; undefined while persistence is off or names none. */
export function pathOfStore(settings: Table): Path | undefined {
  const persistence = own(tableAt(tableAt(settings, 'ai'), 'agents'), 'persistence');
  if (!isTable(persistence)) return undefined;
  const { enabled, strategy } = v.parse(persistenceSchema, persistence);
  const name = nameOfStore(settings);
  return enabled && name !== undefined ? ['database', groupOf(strategy), name] : undefined;
}

/** What keeps persistence from using its connection as it is written. */
export function faultsOfUsedStore(settings: Table): Fault[] {
  const persistence = own(tableAt(tableAt(settings, 'ai'), 'agents'), 'persistence');
  if (!isTable(persistence) || !v.parse(persistenceSchema, persistence).enabled) return [];
  const path = pathOfStore(settings);
  if (path === undefined) return [{ path: [...persistencePath, 'connection_name'], says: 'missing.' }];
  const [, key, name] = path as [string, string, string];
  const database = tableAt(settings, 'database');
  const connection = connectionOf(database, key, name);
  if (connection === undefined) return [noConnection(name, key, database)];
  if (connection.enabled === false)
    return [{ path: connectionNamePath(persistence), says: `[database.${key}.${name}] has enabled = false.` }];
  return [
    ...backendFaults(connection, path),
    ...fallbackFaults(connection, path),
    ...notApplied(connection, path),
    ...faultsOfWrappers(connection, path),
  ];
}

function connectionOf(database: Table, key: string, name: string): Table | undefined {
  const connection = own(tableAt(database, key), name);
  return isTable(connection) && !Object.hasOwn(groupSchema.entries, name) ? connection : undefined;
}

function noConnection(name: string, key: string, database: Table): Fault {
  const instead = elsewhere(name, key, database) ?? alike(name, connectionNames(tableAt(database, key)));
  return {
    path: [...persistencePath, 'connection_name'],
    says: `no connection of this name in [database.${key}]; ${instead}`,
  };
}

/** Where the other strategy has a connection of this name, it is the strategy that is wrong. */
function elsewhere(name: string, key: string, database: Table): string | undefined {
  const other = strategies.find(
    (strategy) => groupOf(strategy) !== key && connectionOf(database, groupOf(strategy), name),
  );
  return other && `[database.${groupOf(other)}] has one: set strategy = "${other}".`;
}

function alike(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  if (meant) return `did you mean ${meant}?`;
  return names.length === 0 ? 'it has none.' : `it has ${names.join(', ')}.`;
}

function connectionNamePath(persistence: Table): Path {
  return persistence.connection_name === undefined ? persistencePath : [...persistencePath, 'connection_name'];
}

function backendFaults(connection: Table, path: Path): Fault[] {
  const inner = tableAt(connection, 'provider').backend;
  if (connection.backend === undefined && inner === undefined)
    return [{ path: [...path, 'backend'], says: 'missing.' }];
  if (inner !== undefined && (typeof inner !== 'string' || inner === '')) {
    return [{ path: [...path, 'provider', 'backend'], says: 'expected a string that is not empty.' }];
  }
  if (connection.backend === undefined || inner === undefined || inner === connection.backend) return [];
  return [{ path: [...path, 'backend'], says: 'differs from provider.backend; give one of the two.' }];
}

/** A read that falls back to another store would take a thread that it lacks for a new one. */
function fallbackFaults(connection: Table, path: Path): Fault[] {
  if (!isTable(connection.fallback) || connection.fallback.enabled === false) return [];
  return [
    {
      path: [...path, 'fallback'],
      says: 'not for a connection that persistence uses: a failed read, answered by another store, would look like a new thread. Remove it, or set on_store_down in [ai.agents.persistence].',
    },
  ];
}

function notApplied(connection: Table, path: Path): Fault[] {
  return Object.keys(connection).flatMap((key) => {
    const reason = own(notAppliedToStores, key);
    return reason === undefined ? [] : [{ path: [...path, key], says: `not applied: ${reason}.` }];
  });
}
