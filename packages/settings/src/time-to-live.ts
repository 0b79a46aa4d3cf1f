import type { TimeToLive } from '@agent-state/core';
import type { Fault } from './faults.ts';
import type { PersistenceSettings, StoreConnection } from './settings.ts';
import { isTable, type Table, tableAt, valueAt } from './table.ts';
import { pathOfStore } from './used-store.ts';
import { wrapperSettings } from './wrappers.ts';

/** How long a paused thread lives at least, where nothing else is said: 30 days. */
const pausedSeconds = 30 * 86_400;

/**
 * How long threads live: `ttl_seconds`, else the connection's `default_ttl`; undefined where neither says anything. A
 * paused thread lives as long as `paused_ttl_seconds` says, else 30 days, and never shorter than the others.
 */
export function timeToLive(
  persistence: PersistenceSettings,
  store: StoreConnection | undefined,
): TimeToLive | undefined {
  const { ttlSeconds = store?.wrappers.defaultTtlSeconds, pausedTtlSeconds } = persistence;
  if (ttlSeconds === undefined && pausedTtlSeconds === undefined) return undefined;
  const ttl = ttlSeconds ?? null;
  const paused = ttl === null ? null : pausedTtlSeconds === undefined ? Math.max(pausedSeconds, ttl) : pausedTtlSeconds;
  return Object.freeze({ ttlMs: milliseconds(ttl), pausedTtlMs: milliseconds(paused) });
}

function milliseconds(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1_000;
}

/** A pause must not shorten a thread's life. */
export function faultsOfTtl(settings: Table): Fault[] {
  const persistence = tableAt(tableAt(tableAt(settings, 'ai'), 'agents'), 'persistence');
  const { ttl_seconds, paused_ttl_seconds: paused } = persistence;
  const ttl = ttl_seconds ?? defaultTtl(settings);
  if (typeof paused !== 'number' || (typeof ttl === 'number' && paused >= ttl)) return [];
  const reason =
    typeof ttl === 'number' ? 'shorter than the ttl_seconds of a thread' : 'threads live for ever without it';
  return [
    {
      path: ['ai', 'agents', 'persistence', 'paused_ttl_seconds'],
      says: `${reason}; a pause must not shorten its life.`,
    },
  ];
}

function defaultTtl(settings: Table): number | undefined {
  const path = pathOfStore(settings);
  const connection = path && valueAt(settings, path);
  return isTable(connection) ? wrapperSettings(connection).defaultTtlSeconds : undefined;
}
