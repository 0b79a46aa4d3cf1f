import { parseArgs } from 'node:util';
import { isMode, type Mode, modes } from './modes.ts';

export interface Options {
  readonly from: number;
  readonly seeds: number;
  readonly mode: Mode | undefined;
  readonly trace: boolean;
  readonly crippled: boolean;
}

export const usage = `npm run simulate -- [--seeds 2000] [--from 1] [--seed N] [--mode ${modes.join('|')}] [--trace] [--crippled]`;

/** The options of the command. Throws what is wrong with them. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      from: { type: 'string', default: '1' },
      seeds: { type: 'string', default: '2000' },
      seed: { type: 'string' },
      mode: { type: 'string' },
      trace: { type: 'boolean', default: false },
      crippled: { type: 'boolean', default: false },
    },
  });
  const { mode, trace, crippled } = values;
  if (mode !== undefined && !isMode(mode))
    throw new TypeError(`There is no mode ${mode}; there are ${modes.join(', ')}.`);
  if (values.seed !== undefined) return { from: whole('seed', values.seed), seeds: 1, mode, trace, crippled };
  return { from: whole('from', values.from), seeds: whole('seeds', values.seeds), mode, trace, crippled };
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new TypeError(`--${name} has to be a whole number above 0, not ${text}.`);
}
