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
import { type Found, foreign, fromText, isSound, toText } from './record.ts';

/**
 * The whole thread under one key, its tombstone under another. Keyv has no compare-and-set: a save compares before and
 * reads back after, which notices another writer most of the time and not always.
 */
export function createKvStore(settings: Settings): CheckpointStore {
  const { keyv, namespace, maxStateBytes, maxMessageBytes } = settings;
  const access = accessTo(settings);
  const keyOf = (threadId: string) => `${keyPart(namespace)}:${keyPart(threadId)}`;
  const tombstoneKeyOf = (threadId: string) => `${keyOf(threadId)}:deleted`;

  /** The record first: a tombstone that is read after it is at least as new. */
  async function look(threadId: string): Promise<Seen> {
    const value = await access.read(threadId, keyOf(threadId));
    const record = value === undefined ? undefined : fromText(threadId, value);
    const tombstone = (await access.read(threadId, tombstoneKeyOf(threadId))) ?? null;
    if (tombstone !== null && typeof tombstone !== 'string') throw foreign(threadId);
    return { record, tombstone };
  }

  const read = async (threadId: string) => standing(await look(threadId));

  /** After a write that Keyv took: whether it is the one that is there. */
  async function readBack(threadId: string, write: StoreWrite, since: number): Promise<SaveOutcome> {
    const found = await read(threadId).catch((error: unknown) => {
      throw asMaybe(error);
    });
    if (found.found) return found.control.etag === write.control.etag ? { saved: true } : { saved: false, found };
    const hasExpired = write.expiresInMs !== null && performance.now() - since >= write.expiresInMs;
    if (hasExpired) return { saved: true };
    if (found.tombstone !== null && found.tombstone !== write.control.life.after) {
      // Deleted while it was written: a record of the life that is gone does not stay.
      await access.remove(threadId, keyOf(threadId));
      return { saved: false, found };
    }
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
      const seen = await look(threadId);
      const found = standing(seen);
      const isThat = found.found
        ? found.control.life.born === what.born
        : what.born === null && found.tombstone === what.was;
      if (!isThat) return false;
      // The tombstone first: a process that dies in between leaves a thread that is still there, and can be deleted.
      await access.write(threadId, tombstoneKeyOf(threadId), tombstone, keepMs);
      if (seen.record) await access.remove(threadId, keyOf(threadId));
      return true;
    },
    close: async () => {},
  };
}

/** What lies under the two keys of a thread. */
interface Seen {
  readonly record: Found | undefined;
  readonly tombstone: string | null;
}

/** A record that does not lie over the tombstone beside it was written by a save from before that delete: it is void. */
function standing({ record, tombstone }: Seen): Found | StoredAbsence {
  const isVoid = record && tombstone !== null && isSound(record.control) && record.control.life.after !== tombstone;
  return record && !isVoid ? record : { found: false, tombstone };
}

function asMaybe(error: unknown): unknown {
  if (!(error instanceof AgentStateError) || error.code !== 'unavailable') return error;
  const { message, threadId, cause } = error;
  return new AgentStateError('unavailable', message, { applied: 'maybe', cause, ...(threadId && { threadId }) });
}
