import { parseArgs } from 'node:util';
import type { Case } from './case.ts';
import { cases } from './cases.ts';
import type { Row } from './row.ts';
import { rows } from './rows.ts';

export const usage = `usage: npm run faults -- [--cases | --rows ID,ID,… | --docs]

Runs the tests that provoke faults, on real servers, and prints for each fault whether it holds: at least one test
names it ([B14] in the title), and all that do ran and passed. Then writes docs/faults.md and docs/failures.md.

  --cases   the failures of comparable libraries (S-TTL-03 …) instead
  --rows    only these, of either list; the documents stay as they are
  --docs    only writes the documents, without running a test

Exit code 0: all hold. 1: one does not, or a test names an id that is in no list. 2: it was called wrongly.`;

export interface Options {
  /** What is to be shown; nothing: only the documents are written. */
  readonly entries: readonly (Row | Case)[];
  readonly docs: boolean;
}

/** A wrong argument, in words. */
export class UsageError extends Error {}

/** What the arguments ask for; `help` where that is what they ask for. */
export function optionsOf(args: readonly string[]): Options | 'help' {
  const { values } = parse(args);
  if (values.help) return 'help';
  if ([values.cases, values.rows, values.docs].filter((value) => value !== undefined).length > 1) {
    throw new UsageError('only one of --cases, --rows and --docs can be asked for');
  }
  if (values.rows !== undefined) return { entries: values.rows.split(',').map(entryOf), docs: false };
  if (values.docs) return { entries: [], docs: true };
  return { entries: values.cases ? cases : rows, docs: true };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        cases: { type: 'boolean' },
        rows: { type: 'string' },
        docs: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'the arguments are wrong');
  }
}

function entryOf(id: string): Row | Case {
  const known = [...rows, ...cases].find((entry) => entry.id === id);
  if (known) return known;
  throw new UsageError(`there is no row or case ${JSON.stringify(id)}`);
}
