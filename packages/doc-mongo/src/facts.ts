import type { ThreadDocument } from './layout.ts';
import { controlOf, type Tail } from './layout.ts';

/** What a save has to know of the record it builds on, beside what the write says. Never changes under one etag. */
export interface Facts {
  readonly etag: string;
  readonly tail: Tail;
  /** Whether the record expires. */
  readonly expires: boolean;
  /** What the last save of this process said of the fields that hardly ever change, as text; absent: not known. */
  readonly steady?: string;
}

/** Of the threads last touched, so that a save in the loop need not ask. A record that is not ours has none. */
export interface FactsCache {
  get(threadId: string, etag: string): Facts | undefined;
  set(threadId: string, facts: Facts | undefined): void;
}

const remembered = 5_000;

export function createFactsCache(): FactsCache {
  const facts = new Map<string, Facts>();
  return {
    get(threadId, etag) {
      const known = facts.get(threadId);
      return known?.etag === etag ? known : undefined;
    },
    set(threadId, known) {
      facts.delete(threadId);
      if (known) facts.set(threadId, known);
      const [oldest] = facts.keys();
      if (facts.size > remembered && oldest !== undefined) facts.delete(oldest);
    },
  };
}

export function factsOf(document: ThreadDocument | null): Facts | undefined {
  const { etag } = controlOf(document);
  const tail = document?.tail as Tail | undefined;
  if (etag === undefined || typeof tail?.from !== 'number') return undefined;
  return { etag, tail, expires: document?.expires_at instanceof Date };
}
