import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { play } from '../play.ts';
import type { Recording } from '../recording/recording.ts';
import { watched } from './watched.ts';

/** At how many points the process that plays a recording can be killed: found by playing it in memory. */
export async function countPoints(recording: Recording): Promise<number> {
  let points = 0;
  const point = () => {
    points += 1;
  };
  await play(recording, watched(createMemoryCheckpointer(), { point, saved() {} }), { point, toolStarted() {} });
  return points;
}
