import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/** What a process did, in the order in which it did it. */
export type Entry =
  /** A tool took effect: which call, under which key. */
  | { readonly tool: string; readonly key: string; readonly by: number }
  /** The model was asked. */
  | { readonly asked: number; readonly by: number }
  /** The store acknowledged this revision. */
  | { readonly saved: number; readonly by: number };

/** A file beside the store: the only truth about what tools did. What `write` has returned from outlives a power cut. */
export interface Ledger {
  write(entry: Entry): void;
  read(): Entry[];
}

export function openLedger(file: string): Ledger {
  return {
    write(entry) {
      const descriptor = openSync(file, 'a');
      writeSync(descriptor, `${JSON.stringify(entry)}\n`);
      fsyncSync(descriptor);
      closeSync(descriptor);
    },
    read: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(toEntry) : []),
  };
}

// The cast: the file is written by the line above, and by nobody else.
const toEntry = (line: string): Entry => JSON.parse(line) as Entry;

/** The effects of tools among the entries. */
export const effectsIn = (entries: readonly Entry[]) => entries.flatMap((entry) => ('tool' in entry ? [entry] : []));

/** How often the model was asked. */
export const countAsked = (entries: readonly Entry[]): number => entries.filter((entry) => 'asked' in entry).length;
