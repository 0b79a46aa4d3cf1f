import type { Checkpointer, CheckpointWrite, Position } from '@agent-state/core';

export const user = (content: string) => ({ role: 'user' as const, content });

/** A thread of these texts as a write; what is not said is default. */
export function write(texts: readonly string[], rest: Partial<CheckpointWrite> = {}): CheckpointWrite {
  return { state: { history: texts.map(user) }, base: { found: false, tombstone: null }, ...rest };
}

/** Appends one message to a thread that has `texts`. */
export function append(
  store: Checkpointer,
  threadId: string,
  base: Position,
  texts: readonly string[],
  added: string,
): Promise<Position> {
  const next = write([...texts, added], { base, appendedFrom: texts.length, variablesChanged: false });
  return store.save(threadId, next);
}

/** The texts of a thread as it is stored; null where there is none. */
export async function textsOf(store: Checkpointer, threadId: string): Promise<unknown[] | null> {
  const loaded = await store.load(threadId);
  return loaded.found ? loaded.state.history.map(({ content }) => content) : null;
}
