import type { Logger } from '@agent-state/core';
import { isMissing } from '@agent-state/services';
import { type Options, optionsOf, UsageError, usage } from './arguments.ts';
import { type Cost, costOf } from './cost-of.ts';
import { startMeasured } from './stores/start.ts';
import type { StoreName } from './stores/store.ts';
import { heading, lineOf } from './table.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** The command; gives its exit code. */
async function command(args: readonly string[]): Promise<number> {
  try {
    const options = optionsOf(args);
    if (options !== 'help') return await run(options);
    say(usage);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    complain(error.message);
    complain(usage.slice(0, usage.indexOf('\n')));
    return 2;
  }
}

async function run({ json, steps, stores }: Options): Promise<number> {
  let complete = true;
  if (!json) say(heading);
  for (const name of stores) {
    try {
      const cost = await measure(name, steps);
      say(json ? JSON.stringify(cost) : lineOf(cost));
    } catch (error) {
      complete = false;
      complain(`${name} is not measured: ${error instanceof Error ? error.message : 'an unknown error'}`);
    }
  }
  return complete ? 0 : 1;
}

async function measure(name: StoreName, steps: number): Promise<Cost> {
  const store = await startMeasured(name);
  if (isMissing(store)) throw new Error(store.missing);
  // Each of the many loops is warned of the same.
  const warnings = new Set<string>();
  const warn: Logger['warn'] = (_fields, message) => void warnings.add(message);
  try {
    return await costOf(name, store, { steps, logger: { info() {}, warn, error: warn } });
  } finally {
    for (const warning of warnings) complain(`${name}: ${warning}`);
    await store.stop();
  }
}

process.exitCode = await command(process.argv.slice(2));
