import type { Checkpointer, Logger } from '@agent-state/core';
import { differences } from './compare.ts';
import { inWords, type Outcome } from './outcome.ts';
import { play } from './play.ts';
import { inPool } from './pool.ts';
import type { Recording } from './recording/recording.ts';

/** How many threads are under way at the same time. */
const width = 8;

/** Two handles on one store: what one has written the other reads, so that nothing is judged by a cache. */
export interface Handles {
  readonly writer: Checkpointer;
  readonly reader: Checkpointer;
}

/** Replays every recording in this process. */
export function replayAll(recordings: readonly Recording[], handles: Handles, logger?: Logger): Promise<Outcome[]> {
  return inPool(recordings, width, (recording) => replay(recording, handles, logger));
}

async function replay(recording: Recording, { writer, reader }: Handles, logger?: Logger): Promise<Outcome> {
  let failure: string | undefined;
  try {
    await play(recording, writer, { logger });
  } catch (error) {
    failure = inWords(error);
  }
  return { ...(await judge(recording, reader, failure)), killed: false, repeated: 0 };
}

/** What is stored against what was recorded. */
export async function judge(
  recording: Recording,
  reader: Checkpointer,
  failure: string | undefined,
): Promise<Omit<Outcome, 'killed' | 'repeated'>> {
  const about = { threadId: recording.id, messages: recording.messages.length };
  try {
    const loaded = await reader.load(recording.id);
    const found = differences(recording, loaded.found ? loaded.state : undefined);
    return { ...about, differences: found, ...(failure === undefined ? {} : { failure }) };
  } catch (error) {
    return { ...about, differences: [], failure: failure ?? inWords(error) };
  }
}
