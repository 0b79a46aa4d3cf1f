import { randomBytes } from 'node:crypto';
import { noon, openCall, run, step, user } from '@agent-state/conformance/fixtures';
import type { Checkpointer, Message, Position, RunRecord, ThreadStateInput } from '@agent-state/core';
import type {} from '@agent-state/services/vitest';
import { type Collection, type Document, MongoClient } from 'mongodb';
import { afterAll, inject } from 'vitest';

/** The shared server; undefined where there is none: its tests are skipped. */
export const mongoUrl: string | undefined = inject('mongoUrl');

/** Of that server. Where there is none, what is skipped is still declared, and nothing connects. */
export const sharedUrl = mongoUrl ?? 'mongodb://127.0.0.1/';

/** A connection string that says more. */
export const withSettings = (url: string, settings: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${settings}`;

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

/** A run whose last turn called these tools; of some the result is there. */
export const acting = (results: Readonly<Record<string, Message | undefined>>): RunRecord => ({
  ...idle,
  phase: 'act',
  calls: Object.entries(results).map(([tool, message]) => openCall(tool, message)),
});

export const idle = run({
  claim: 'claim-of-22-characters',
  owner: 'host:1234:abcdefgh',
  owner_write: 'write-of-22-characters',
  requests: [],
});

export const state = (
  history: readonly Message[],
  changes: Partial<ThreadStateInput> & Record<string, unknown> = {},
) => ({
  agent_profile: 'support_bot',
  current_step: 1,
  updated_at: noon,
  history,
  ...changes,
});

/** Saves a history on top of what was saved last, message by message. */
export async function appendAll(store: Checkpointer, threadId: string, history: readonly Message[]): Promise<Position> {
  let position = await store.save(threadId, { state: state(history.slice(0, 1)), base: absent });
  for (let length = 2; length <= history.length; length += 1)
    position = await append(store, threadId, position, history.slice(0, length));
  return position;
}

export function append(
  store: Checkpointer,
  threadId: string,
  base: Position,
  history: readonly Message[],
): Promise<Position> {
  return store.save(threadId, {
    state: state(history),
    base,
    appendedFrom: base.length,
    variablesChanged: false,
    steps: [step(history.length)],
  });
}

export const absent = { found: false, tombstone: null } as const;

/** Histories of texts that can be told apart. */
export function texts(count: number, size = 20): Message[] {
  return Array.from({ length: count }, (_, index) => user(`${index}:`.padEnd(size, 'x')));
}

export interface Stored {
  readonly threads: Collection<Document & { _id: string }>;
  readonly chunks: Collection<Document & { _id: string }>;
}

/** What lies in the collections, past the checkpointer. */
export function collectionsOf(client: MongoClient, database: string): Stored {
  const db = client.db(database);
  return { threads: db.collection('agent_checkpoints'), chunks: db.collection('agent_checkpoints.chunks') };
}

/** A database on the shared server, with a client to look into it; dropped after the tests around it. */
export function ownDatabase(client: MongoClient = rawClient(sharedUrl)) {
  const database = freshDatabase();
  afterAll(async () => {
    await client.db(database).dropDatabase();
    await client.close();
  });
  return { database, client, ...collectionsOf(client, database) };
}
