import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What a process has written down, in order. `place` is the index of a message, as everywhere. */
export type Entry =
  | { readonly started: number }
  /** A save was acknowledged: this many messages, and results ahead of their turn at these indexes. */
  | { readonly saved: number; readonly ahead: readonly number[] };

/**
 * An append-only file beside the store: the only truth about what tools did. A line is in it once `write` returns,
 * whatever becomes of the process.
 */
export interface Ledger {
  write(entry: Entry): void;
  read(): Entry[];
}

export function openLedger(file: string): Ledger {
  return {
    write: (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`),
    read: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(toEntry) : []),
  };
}

// The cast: the file is written by the line above, and by nobody else.
const toEntry = (line: string): Entry => JSON.parse(line) as Entry;

/** How often a tool started whose result was saved before. */
export function countRepeated(before: readonly Entry[], after: readonly Entry[]): number {
  const saved = before.flatMap((entry) => ('saved' in entry ? [entry] : []));
  const length = Math.max(0, ...saved.map((entry) => entry.saved));
  const ahead = new Set(saved.flatMap((entry) => entry.ahead));
  return after.filter((entry) => 'started' in entry && (entry.started < length || ahead.has(entry.started))).length;
}
