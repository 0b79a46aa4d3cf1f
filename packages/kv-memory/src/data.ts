import type { Control, Stored } from '@agent-state/core';
import { createExpiringMap, type ExpiringMap } from './expiring-map.ts';

/** A value as it was given, frozen by core; never a copy, and never its text. */
export type Kept = Exclude<Stored, string>;

/** A thread as it lies in memory. Messages and steps are added in place, so a save costs what is new. */
export interface MemoryThread {
  readonly control: Control;
  readonly head: Kept;
  readonly variables: Kept;
  /** By index; from `control.length` on the results that were saved ahead of their turn, which may leave holes. */
  readonly messages: Kept[];
  readonly steps: Kept[];
}

/** The threads of one namespace. Tombstones lie apart: a new life does not use the tombstone before it up. */
export interface MemoryNamespace {
  readonly threads: ExpiringMap<MemoryThread>;
  readonly tombstones: ExpiringMap<string>;
}

/** What checkpointers over the same memory share. Its contents are theirs; hold it, and hand it on. */
export interface MemoryData {
  namespace(name: string): MemoryNamespace;
}

/** Memory for threads, empty. It lives as long as somebody holds it. */
export function createMemoryData(): MemoryData {
  const namespaces = new Map<string, MemoryNamespace>();
  return Object.freeze({
    namespace(name: string) {
      const found = namespaces.get(name) ?? { threads: createExpiringMap(), tombstones: createExpiringMap() };
      namespaces.set(name, found);
      return found;
    },
  });
}
