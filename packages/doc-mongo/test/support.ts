import { randomBytes } from 'node:crypto';
import type {} from '@agent-state/services/vitest';
import { MongoClient } from 'mongodb';
import { inject } from 'vitest';

/** The shared server; undefined where there is none: its tests are skipped. */
export const mongoUrl: string | undefined = inject('mongoUrl');

/** A database that no other test uses. */
export function freshDatabase(): string {
  return `agent_state_test_${randomBytes(6).toString('hex')}`;
}

/** A client of the test's own, to look at what is really stored. */
export function rawClient(url: string, options: ConstructorParameters<typeof MongoClient>[1] = {}): MongoClient {
  return new MongoClient(url, { serverSelectionTimeoutMS: 5_000, ...options });
}

/** Every collection's documents as text. */
export async function everythingIn(client: MongoClient, database: string): Promise<string[]> {
  const collections = await client.db(database).collections();
  const documents = await Promise.all(collections.map((collection) => collection.find().toArray()));
  return documents.flat().map((document) => JSON.stringify(document));
}
