import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type StoreName, storeNames } from './stores/store.ts';

export const usage = `usage: npm run replay -- [--store ${storeNames.join('|')}|all] [--limit N] [--kill [every] [--seed N]] FILE

Runs recorded threads (one JSON object a line: { "id", "messages": [OpenAI chat messages] }) through the real agent
and compares what is stored with what was recorded, message by message. The recorded assistant messages are the
model, the recorded results are the tools. Real servers are started for it and stopped afterwards.

  --store   one store, several with commas between, or all (the default)
  --limit   only the first N threads of the file
  --kill    kills each thread's process with SIGKILL on the way; another process goes on
  --kill every   does so in every step of each thread in turn, each time on a copy of the thread
  --seed    kills at the same points as the run that printed this seed

Prints one line a store. Exit code 0: everything is the same. 1: something differs, a store could not be started, or
a line of the file could not be replayed (standard error names it). 2: it was called wrongly.`;

export interface Options {
  readonly file: string;
  readonly stores: readonly StoreName[];
  readonly limit: number;
  /** Where processes are killed: nowhere, once in each thread, or in every step of each. */
  readonly kill: 'nowhere' | 'once' | 'every step';
  readonly seed: number;
}

/** A wrong argument, in words. */
export class UsageError extends Error {}

/** What the arguments ask for; `help` where that is what they ask for. */
export function optionsOf(args: readonly string[]): Options | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('exactly one file has to be named');
  const kill = values['kill-every'] ? 'every step' : values.kill ? 'once' : 'nowhere';
  if (values.seed !== undefined && kill === 'nowhere') throw new UsageError('--seed goes with --kill');
  return {
    file,
    stores: storesOf(values.store ?? 'all'),
    limit: values.limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber('--limit', values.limit, 1),
    kill,
    seed: values.seed === undefined ? randomInt(2 ** 32) : wholeNumber('--seed', values.seed, 0),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: withEvery(args),
      allowPositionals: true,
      options: {
        store: { type: 'string' },
        limit: { type: 'string' },
        kill: { type: 'boolean' },
        'kill-every': { type: 'boolean' },
        seed: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'the arguments are wrong');
  }
}

/** `--kill` may stand alone; what follows it is its value only where it is that word. */
function withEvery(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    const value = arg === '--kill=every' || (arg === '--kill' && args[index + 1] === 'every');
    if (value) return ['--kill-every'];
    return arg === 'every' && args[index - 1] === '--kill' ? [] : [arg];
  });
}

function storesOf(names: string): StoreName[] {
  if (names === 'all') return [...storeNames];
  return [...new Set(names.split(','))].map((name) => {
    const known = storeNames.find((candidate) => candidate === name);
    if (known) return known;
    throw new UsageError(`there is no store ${JSON.stringify(name)}; there are: ${storeNames.join(', ')}`);
  });
}

function wholeNumber(option: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`${option} has to be a whole number from ${least} on`);
}
