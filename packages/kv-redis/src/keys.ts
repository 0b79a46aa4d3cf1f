import { keyPart } from '@agent-state/core';

/** The two keys of a thread. The hash tag is the encoded thread id, so a cluster keeps both in one slot. */
export interface ThreadKeys {
  readonly thread: string;
  readonly tombstone: string;
}

/** Injective: encoded parts hold neither `:` nor a brace. */
export function keysOf(namespace: string, threadId: string): ThreadKeys {
  const thread = `${keyPart(namespace)}:{${keyPart(threadId)}}`;
  return { thread, tombstone: `${thread}:deleted` };
}
