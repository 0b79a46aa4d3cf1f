import type { Capabilities, Checkpointer } from '@agent-state/core';

/** The capabilities that are either there or not. */
export type Capability = {
  [K in keyof Capabilities]: Capabilities[K] extends boolean ? K : never;
}[keyof Capabilities];

/** What a case cannot run without: a declared capability, or an optional method of the backend. */
export type Need = Capability | 'openIn' | 'raw';

/** One requirement, as data. It needs no test runner: `run` throws what `node:assert` throws. */
export interface ConformanceCase<Id extends string = string> {
  /** `theme/name`; stable, so that an expected failure can name it. */
  readonly id: Id;
  /** What has to be so, as a sentence. */
  readonly requirement: string;
  readonly needs?: readonly Need[];
  /** For a case about what happens where a capability is not declared. */
  readonly lacks?: Capability;
  /** Why the case says nothing about a checkpointer of these capabilities, if so. */
  readonly unless?: (capabilities: Capabilities) => string | undefined;
  /** It spends its time waiting for the store's clock: a runner may run such cases side by side. */
  readonly waits?: true;
  readonly run: (context: CaseContext) => Promise<void>;
}

/** What a case works with. Everything opened here is closed when the case is over. */
export interface CaseContext {
  /** A first checkpointer, on a backend that holds nothing. */
  readonly store: Checkpointer;
  readonly capabilities: Capabilities;
  /** Another checkpointer on the same threads. */
  readonly open: () => Promise<Checkpointer>;
  /** A checkpointer on another namespace; a case that calls it needs `openIn`. */
  readonly openIn: (namespace: string) => Promise<Checkpointer>;
  /** All that is stored, as one text; a case that calls it needs `raw`. */
  readonly raw: () => Promise<string>;
}

/** Keeps the id's literal type, so that a misspelt expected failure is a type error. */
export function defineCase<const Id extends string>(definition: ConformanceCase<Id>): ConformanceCase<Id> {
  return Object.freeze(definition);
}
