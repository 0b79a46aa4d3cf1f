import type { Checkpointer } from '@agent-state/core';
import { createMemoryCheckpointer, createMemoryData, type MemoryData } from '@agent-state/kv-memory';
import type { CaseId } from '../../src/cases.ts';
import type { ConformanceTarget } from '../../src/target.ts';
import { contents, namespace } from '../memory-target.ts';

/** A checkpointer with one fault, and the case that has to find it. */
export interface BrokenAdapter {
  readonly name: string;
  readonly killedBy: CaseId;
  readonly target: ConformanceTarget;
}

/** What a fault is put into: a working checkpointer, and the memory under it. */
export interface Working {
  readonly store: Checkpointer;
  readonly data: MemoryData;
}

type Fault = (working: Working) => Partial<Checkpointer>;

/** The memory adapter with some methods replaced. The fault is made anew for each checkpointer of a backend. */
export function broken(name: string, killedBy: CaseId, fault: Fault): BrokenAdapter {
  const wrap = (working: Working): Checkpointer => Object.freeze({ ...working.store, ...fault(working) });
  return brokenTarget(name, killedBy, (data, ns) =>
    wrap({ data, store: createMemoryCheckpointer({ data, namespace: ns }) }),
  );
}

/** A target over memory whose checkpointers `open` makes. */
export function brokenTarget(
  name: string,
  killedBy: CaseId,
  open: (data: MemoryData, namespace: string) => Checkpointer,
): BrokenAdapter {
  const create = async () => {
    const data = createMemoryData();
    return {
      open: async () => open(data, namespace),
      openIn: async (ns: string) => open(data, ns),
      raw: async () => contents(data),
      close: async () => {},
    };
  };
  return { name, killedBy, target: { name, create } };
}

/** A value with every text, number or object in it changed. */
export function mapDeep(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return change(value.map((part) => mapDeep(part, change)));
  if (typeof value !== 'object' || value === null) return change(value);
  const result = {};
  for (const [key, part] of Object.entries(value)) {
    Object.defineProperty(result, key, {
      value: mapDeep(part, change),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return change(result);
}
