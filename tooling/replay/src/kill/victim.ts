import { text } from 'node:stream/consumers';
import { inWords } from '../outcome.ts';
import { play } from '../play.ts';
import { parseRecording } from '../recording/read.ts';
import { openStore } from '../stores/open.ts';
import type { Place } from '../stores/store.ts';
import type { Observer } from '../tape.ts';
import { openLedger } from './ledger.ts';
import { watched } from './watched.ts';

/** What the process is told that is to be killed: by whom it was started, on its standard input. */
export interface Job {
  readonly place: Place;
  /** The recording's line. */
  readonly line: string;
  readonly ledger: string;
  /** The point at which it ends, counted from 1. */
  readonly killAt: number;
}

/** Plays one recording and ends by SIGKILL on the way, at the latest at the end. */
export async function beVictim(): Promise<void> {
  // The cast: the parent writes it.
  const { place, line, ledger: file, killAt } = JSON.parse(await text(process.stdin)) as Job;
  const ledger = openLedger(file);
  let points = 0;
  const point = (): void => {
    points += 1;
    if (points === killAt) die();
  };
  try {
    const checkpointer = watched(await openStore(place), {
      point,
      saved: ({ length, ahead }) => ledger.write({ saved: length, ahead }),
    });
    const observer: Observer = { point, toolStarted: (started) => ledger.write({ started }) };
    await play(parseRecording(line), checkpointer, { observer });
  } catch (error) {
    process.stderr.write(inWords(error));
    process.exit(1);
  }
  die();
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable: the signal cannot be refused');
}
