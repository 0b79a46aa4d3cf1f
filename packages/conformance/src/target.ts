import type { Checkpointer } from '@agent-state/core';

/** What the suite runs against: something that makes fresh backends. */
export interface ConformanceTarget {
  /** For reports and the names of tests. */
  readonly name: string;
  /** A backend that holds nothing yet; on a shared server, one whose namespace or database nobody else uses. */
  create(): Promise<ConformanceBackend>;
}

/** One place where threads are stored. Every case gets one of its own. */
export interface ConformanceBackend {
  /** A checkpointer with a client of its own; all of them see the same threads. The suite closes each. */
  open(): Promise<Checkpointer>;
  /** As `open`, in this namespace of the same server. Left out: the cases about namespaces are skipped. */
  openIn?(namespace: string): Promise<Checkpointer>;
  /**
   * Every key and value that the backend holds, as text, to look for leftovers. Left out: the cases that look are
   * skipped.
   */
  raw?(): Promise<readonly string[]>;
  /** Removes what is stored and lets go of everything. Called once, after the checkpointers are closed. */
  close(): Promise<void>;
}
