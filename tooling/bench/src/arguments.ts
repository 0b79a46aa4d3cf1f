import { parseArgs } from 'node:util';
import { type StoreName, storeNames } from './stores/store.ts';

export const usage = `usage: npm run cost -- [--json] [--steps N] [--store ${storeNames.join('|')}|all]

What a long thread costs: a loop of Think and Act (501 steps of about 2 KB, a thread of about 1.1 MB) through the real
agent, on every store. Real servers are started for it and stopped afterwards.

  --json    one JSON object a line instead of a table
  --steps   another length: an odd number, for a loop ends with an answer
  --store   one store, several with commas between, or all (the default)

callsPerSave, callsPerLoad   requests; on SQLite transactions. The load is of the whole thread, by another client
bytesAtStep20, …400          what a step sends: half of the median over five pairs of a Think and an Act around it,
                             each saved once. null where the loop is shorter
bytesSent                    everything that the client sends in the loop, heads and step records included
bytesKept                    Redis: MEMORY USAGE of all keys. MongoDB: BSON of all documents. SQLite: pages

Counted on the wire, whole requests; on SQLite the values that are bound. Left out: connecting, bringing scripts,
making indexes, and what drivers send of their own (hello, ping). Memory sends nothing: it keeps references, and
bytesKept is the size of the JSON that they would be.`;

export interface Options {
  readonly json: boolean;
  readonly steps: number;
  readonly stores: readonly StoreName[];
}

/** A wrong argument, in words. */
export class UsageError extends Error {}

/** What the arguments ask for; `help` where that is what they ask for. */
export function optionsOf(args: readonly string[]): Options | 'help' {
  const { json = false, steps = '501', store = 'all', help } = parse(args);
  if (help) return 'help';
  return { json, steps: oddNumber(steps), stores: storesOf(store) };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        json: { type: 'boolean' },
        steps: { type: 'string' },
        store: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'the arguments are wrong');
  }
}

function oddNumber(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value % 2 === 1) return value;
  throw new UsageError('--steps has to be an odd number');
}

function storesOf(names: string): StoreName[] {
  if (names === 'all') return [...storeNames];
  return [...new Set(names.split(','))].map((name) => {
    const known = storeNames.find((candidate) => candidate === name);
    if (known) return known;
    throw new UsageError(`there is no store ${JSON.stringify(name)}; there are: ${storeNames.join(', ')}`);
  });
}
