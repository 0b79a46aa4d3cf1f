import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@agent-state/core';
import { isMissing } from '@agent-state/services';
import { type Options, optionsOf, UsageError, usage } from './arguments.ts';
import { killAll } from './kill/kill-all.ts';
import { firstFault, inWords, type Outcome, succeeded, summary } from './outcome.ts';
import { readRecordings } from './recording/read.ts';
import type { Recording } from './recording/recording.ts';
import { replayAll } from './replay.ts';
import { openStore } from './stores/open.ts';
import { startStore } from './stores/start.ts';
import type { Place } from './stores/store.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** The command; gives its exit code. */
export async function command(args: readonly string[], program: string): Promise<number> {
  try {
    const options = optionsOf(args);
    if (options === 'help') {
      say(usage);
      return 0;
    }
    return await run(options, readFile(options.file), program);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    complain(error.message);
    complain(usage.slice(0, usage.indexOf('\n')));
    return 2;
  }
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

async function run(options: Options, text: string, program: string): Promise<number> {
  const { recordings, bad } = readRecordings(text);
  for (const { line, reason } of bad) complain(`${options.file}, line ${line} is not replayed: ${reason}`);
  if (recordings.length === 0) complain(`${options.file} holds no thread that can be replayed`);
  const chosen = recordings.slice(0, options.limit);
  if (options.kill !== 'nowhere') say(`seed: ${options.seed}`);
  let same = bad.length === 0 && chosen.length > 0;
  const folder = temporaryFolder();
  for (const name of options.stores) {
    same = (await onStore(name, chosen, { ...options, folder, program })) && same;
  }
  return same ? 0 : 1;
}

/** Removed when this process ends, also by a signal that asks it to. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-replay-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  return folder;
}

interface Around extends Pick<Options, 'kill' | 'seed'> {
  readonly folder: string;
  readonly program: string;
}

/** One store, from its start to its end; whether all was the same. What fails here does not stop the other stores. */
async function onStore(name: Place['name'], recordings: readonly Recording[], around: Around): Promise<boolean> {
  if (around.kill !== 'nowhere' && name === 'memory') {
    say('memory: ends with its process, so there is nothing to go on from; not killed');
    return true;
  }
  try {
    const running = await startStore(name, around.folder);
    if (isMissing(running)) throw new Error(running.missing);
    try {
      const outcomes = await replayOn({ name, at: running.at }, recordings, around);
      return report(name, outcomes, around.kill !== 'nowhere');
    } finally {
      await running.stop();
    }
  } catch (error) {
    complain(`${name}: not run: ${inWords(error)}`);
    return false;
  }
}

async function replayOn(place: Place, recordings: readonly Recording[], around: Around): Promise<Outcome[]> {
  const [writer, reader] = await Promise.all([openStore(place), openStore(place)]);
  // Each thread is warned of the same.
  const warnings = new Set<string>();
  const warn: Logger['warn'] = (_fields, message) => void warnings.add(message);
  const logger: Logger = { info() {}, warn, error: warn };
  try {
    const handles = { writer, reader };
    if (around.kill === 'nowhere') return await replayAll(recordings, handles, logger);
    return await killAll(recordings, handles, { ...around, place, everyStep: around.kill === 'every step', logger });
  } finally {
    for (const warning of warnings) complain(`${place.name}: ${warning}`);
    await Promise.all([writer.close(), reader.close()]).catch((error) => complain(inWords(error)));
  }
}

function report(name: string, outcomes: readonly Outcome[], kill: boolean): boolean {
  say(summary(name, outcomes, kill));
  const fault = firstFault(outcomes);
  if (fault !== undefined) complain(`${name}: ${fault}`);
  return outcomes.every(succeeded);
}
