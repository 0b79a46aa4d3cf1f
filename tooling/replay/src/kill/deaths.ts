import { parseRecording } from '../recording/read.ts';
import type { Recording } from '../recording/recording.ts';
import { chance } from './chance.ts';
import { pointsOf } from './points-of.ts';

/** A thread whose process is killed at a point, counted from 1. */
export interface Death {
  readonly recording: Recording;
  readonly killAt: number;
}

/** What decides where: the same seed kills at the same points. */
export interface Chance {
  readonly seed: number;
  readonly store: string;
}

/** One death a thread, anywhere on its way. */
export function deathOf(recordings: readonly Recording[], chance: Chance): Promise<Death[]> {
  return Promise.all(
    recordings.map(async (recording) => {
      const { all } = await pointsOf(recording);
      return { recording, killAt: oneOf(1, all, recording, chance) };
    }),
  );
}

/** A death in every step of each thread, and each on a copy of the thread. */
export async function deathsInEveryStep(recordings: readonly Recording[], chance: Chance): Promise<Death[]> {
  const deaths = await Promise.all(
    recordings.map(async (recording) => {
      const { steps } = await pointsOf(recording);
      return steps.map((last, index) => {
        const copy = copyOf(recording, `${recording.id}, killed in step ${index + 1}`);
        return { recording: copy, killAt: oneOf((steps[index - 1] ?? 0) + 1, last, copy, chance) };
      });
    }),
  );
  return deaths.flat();
}

function oneOf(first: number, last: number, { id }: Recording, { seed, store }: Chance): number {
  return first - 1 + chance(last - first + 1, seed, store, id);
}

function copyOf({ line }: Recording, id: string): Recording {
  // The cast: it has been read before.
  return parseRecording(JSON.stringify({ ...(JSON.parse(line) as object), id }));
}
