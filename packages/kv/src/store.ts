import {
  AgentStateError,
  admits,
  type CheckpointStore,
  keyPart,
  type SaveOutcome,
  type StoredAbsence,
  type StoreWrite,
} from '@agent-state/core';
import { accessTo } from './access.ts';
import type { Settings } from './options.ts';
import { type Found, foreign, fromText, toText } from './record.ts';

/**
 * The whole thread under one key, its tombstone under another. Keyv has no compare-and-set: a save compares before and
 * reads back after, which notices another writer most of the time and not always.
 */
export function createKvStore(settings: Settings): CheckpointStore {
  const { keyv, namespace, maxStateBytes, maxMessageBytes } = settings;
  const access = accessTo(settings);
  const keyOf = (threadId: string) => `${keyPart(namespace)}:${keyPart(threadId)}`;
  const tombstoneKeyOf = (threadId: string) => `${keyOf(threadId)}:deleted`;

  async function read(threadId: string): Promise<Found | StoredAbsence> {
    const value = await access.read(threadId, keyOf(threadId));
    if (value !== undefined) return fromText(threadId, value);
    const tombstone = (await access.read(threadId, tombstoneKeyOf(threadId))) ?? null;
    if (tombstone !== null && typeof tombstone !== 'string') throw foreign(threadId);
    return { found: false, tombstone };
  }

  /** After a write that Keyv took: whether it is the one that is there. */
  async function readBack(threadId: string, write: StoreWrite, since: number): Promise<SaveOutcome> {
    const found = await read(threadId).catch((error: unknown) => {
      throw asMaybe(error);
    });
    if (found.found) return found.control.etag === write.control.etag ? { saved: true } : { saved: false, found };
    const hasExpired = write.expiresInMs !== null && performance.now() - since >= write.expiresInMs;
    if (hasExpired) return { saved: true };
    if (found.tombstone !== null && found.tombstone !== write.control.life.after) return { saved: false, found };
    throw new AgentStateError('unavailable', 'The store took the write, and does not have it.', {
      threadId,
      applied: 'maybe',
    });
  }

  return {
    name: 'kv',
    capabilities: {
      conditional: false,
      tombstones: true,
      appends: false,
      steps: false,
      list: false,
      query: false,
      durable: !(keyv.store instanceof Map),
      ttlResolutionMs: 1,
      maxStateBytes,
      maxMessageBytes,
    },
    load: read,
    peek: read,
    async save(threadId, write) {
      const found = await read(threadId);
      if (!admits(found, write)) return { saved: false, found };
      const since = performance.now();
      await access.write(threadId, keyOf(threadId), toText(write, found), write.expiresInMs);
      return readBack(threadId, write, since);
    },
    async bury(threadId, { tombstone, keepMs, ...what }) {
      const found = await read(threadId);
      const isThat = found.found
        ? found.control.life.born === what.born
        : what.born === null && found.tombstone === what.was;
      if (!isThat) return false;
      // The tombstone first: a process that dies in between leaves a thread that is still there, and can be deleted.
      await access.write(threadId, tombstoneKeyOf(threadId), tombstone, keepMs);
      if (found.found) await access.remove(threadId, keyOf(threadId));
      return true;
    },
    close: async () => {},
  };
}

function asMaybe(error: unknown): unknown {
  if (!(error instanceof AgentStateError) || error.code !== 'unavailable') return error;
  const { message, threadId, cause } = error;
  return new AgentStateError('unavailable', message, { applied: 'maybe', cause, ...(threadId && { threadId }) });
}
