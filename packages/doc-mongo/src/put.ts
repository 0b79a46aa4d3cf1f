import { layoutVersion } from '@agent-state/core';
import type { Places } from './connect.ts';
import { duplicateKey, hasCode } from './errors.ts';
import { controlOf, isTombstone, type ThreadDocument } from './layout.ts';

export interface Put {
  readonly placed: boolean;
  /** The life that had expired and was still there. */
  readonly expired?: string;
}

/**
 * Puts a document where nothing is, or the tombstone `over`, or what has expired by the server's clock and was not
 * removed yet.
 */
export async function put(places: Places, document: ThreadDocument, over: string | null): Promise<Put> {
  try {
    await putOver(places, document, over);
    return { placed: true };
  } catch (error) {
    if (!hasCode(error, duplicateKey)) throw error;
    return putOverExpired(places, document);
  }
}

/** One call; a duplicate key says that something else is there. */
async function putOver({ threads }: Places, document: ThreadDocument, over: string | null): Promise<void> {
  if (over === null) {
    await threads.insertOne(document);
    return;
  }
  const { _id, ...rest } = document;
  await threads.replaceOne({ _id: { $eq: _id }, tombstone: { $eq: over } }, rest, { upsert: true });
}

async function putOverExpired({ threads }: Places, document: ThreadDocument): Promise<Put> {
  const { _id, ...rest } = document;
  const expired = await threads.findOne<ThreadDocument>(
    { _id: { $eq: _id }, $expr: { $lte: ['$expires_at', '$$NOW'] }, expires_at: { $type: 'date' } },
    { projection: { control: 1, tombstone: 1, expires_at: 1 } },
  );
  if (!expired || !isOurs(expired)) return { placed: false };
  const { etag = null, life } = controlOf(expired);
  const seen = { 'control.etag': { $eq: etag }, tombstone: { $eq: expired.tombstone ?? null } };
  const { matchedCount } = await threads.replaceOne(
    { _id: { $eq: _id }, ...seen, expires_at: { $eq: expired.expires_at } },
    rest,
  );
  return { placed: matchedCount === 1, ...(life ? { expired: life.born } : {}) };
}

/** What we cannot read we never overwrite, expired or not. */
function isOurs(document: ThreadDocument): boolean {
  return isTombstone(document) || controlOf(document).layout === layoutVersion;
}
