import * as core from '@agent-state/core';
import { searchVariants } from './crippled.ts';
import { type Options, parseOptions, usage } from './options.ts';
import { batchesOf, runBatches } from './pool.ts';
import { describeBroken, describeStats } from './report.ts';
import { simulate } from './simulate.ts';
import { addStats, noStats } from './stats.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options.crippled) return searchVariants(options, say);
  return options.trace ? showSeeds(options) : goThroughSeeds(options);
}

/** More than that of the same is not worth reading. */
const mostTold = 10;

async function goThroughSeeds({ from, seeds, mode }: Options): Promise<number> {
  const stats = noStats();
  let broken = 0;
  let first: number | undefined;
  await runBatches(batchesOf(from, seeds, { mode }), (reports) => {
    for (const report of reports) {
      addStats(stats, report.stats);
      if (report.broken.length === 0) continue;
      broken += 1;
      first ??= report.seed;
      if (broken <= mostTold) say(describeBroken(report));
    }
    return undefined;
  });
  if (first !== undefined) await showSeeds({ from: first, seeds: 1, mode });
  say(describeStats(stats));
  say(`${seeds} seeds, ${broken} broken`);
  return broken > 0 ? 1 : 0;
}

/** With everything that happened in them. */
async function showSeeds({ from, seeds, mode }: Pick<Options, 'from' | 'seeds' | 'mode'>): Promise<number> {
  let broken = 0;
  for (let seed = from; seed < from + seeds; seed += 1) {
    const report = await simulate(core, seed, { mode, trace: say });
    broken += report.broken.length;
    say(report.broken.length > 0 ? describeBroken(report) : `seed ${seed} (${report.mode}) is not broken`);
  }
  return broken > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof TypeError ? `${error.message}\n${usage}` : String(error)}\n`);
  process.exitCode = 2;
}
