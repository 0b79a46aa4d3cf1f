import { join } from 'node:path';
import type { Logger, ThreadState } from '@agent-state/core';
import { inWords, type Outcome } from '../outcome.ts';
import { play } from '../play.ts';
import { inPool } from '../pool.ts';
import type { Recording } from '../recording/recording.ts';
import { type Handles, judge } from '../replay.ts';
import type { Place } from '../stores/store.ts';
import type { Observer } from '../tape.ts';
import { type Death, deathOf, deathsInEveryStep } from './deaths.ts';
import { countRepeated, type Entry, type Ledger, openLedger } from './ledger.ts';
import { runVictim } from './run-victim.ts';

/** How many processes are under way at the same time. */
const width = 4;

export interface Killing {
  readonly place: Place;
  /** Where the ledgers go. */
  readonly folder: string;
  /** Repeats a run: the same seed kills each thread at the same point. */
  readonly seed: number;
  /** Whether each thread is killed in every step of its in turn, and not once. */
  readonly everyStep?: boolean;
  /** The program whose process is killed. */
  readonly program: string;
  /** Hears what the process that goes on is warned of; default: the console. */
  readonly logger?: Logger;
}

/** Replays every recording in a process of its own, which is killed on the way; this process goes on. */
export async function killAll(
  recordings: readonly Recording[],
  handles: Handles,
  killing: Killing,
): Promise<Outcome[]> {
  const { place, folder, seed, everyStep = false } = killing;
  const deaths = await (everyStep ? deathsInEveryStep : deathOf)(recordings, { seed, store: place.name });
  return inPool([...deaths.entries()], width, ([index, death]) =>
    killAndGoOn(death, handles, killing, join(folder, `${place.name}-${index}.ledger`)),
  );
}

async function killAndGoOn(
  { recording, killAt }: Death,
  handles: Handles,
  { place, program, logger }: Killing,
  file: string,
): Promise<Outcome> {
  const { line } = recording;
  let failure = await runVictim(program, { place, line, ledger: file, killAt });
  const killed = failure === undefined;
  let repeated = 0;
  try {
    repeated = await goOn(recording, handles, { ledger: openLedger(file), logger });
  } catch (error) {
    failure ??= inWords(error);
  }
  return { ...(await judge(recording, handles.reader, failure)), killed, repeated };
}

/** Plays the rest, and counts the tools that ran again though the store had their results when the process died. */
async function goOn(
  recording: Recording,
  { writer, reader }: Handles,
  { ledger, logger }: { readonly ledger: Ledger; readonly logger: Logger | undefined },
): Promise<number> {
  const loaded = await reader.load(recording.id);
  const before = [...ledger.read(), ...(loaded.found ? [savedIn(loaded.state)] : [])];
  const written = ledger.read().length;
  const observer: Observer = { point() {}, toolStarted: (started) => ledger.write({ started }) };
  await play(recording, writer, { observer, logger });
  return countRepeated(before, ledger.read().slice(written));
}

function savedIn({ history, run }: ThreadState): Entry {
  const ahead = (run?.calls ?? []).flatMap(({ result }, position) => (result ? [history.length + position] : []));
  return { saved: history.length, ahead };
}
