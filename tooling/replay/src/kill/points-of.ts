import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { play } from '../play.ts';
import type { Recording } from '../recording/recording.ts';
import { watched } from './watched.ts';

/** The points at which the process that plays a recording can be killed, counted from 1. */
export interface Points {
  readonly all: number;
  /** The last point of each step: of what is lost, or just not lost, with one save. */
  readonly steps: readonly number[];
}

/** Found by playing it in memory. */
export async function pointsOf(recording: Recording): Promise<Points> {
  let all = 0;
  const point = () => {
    all += 1;
  };
  const steps: number[] = [];
  const saved = () => void steps.push(all);
  await play(recording, watched(createMemoryCheckpointer(), { point, saved }), {
    observer: { point, toolStarted() {} },
  });
  return { all, steps: [...steps.slice(0, -1), all] };
}
