import { createMongoCheckpointer, type MongoCheckpointerOptions } from '@agent-state/doc-mongo';
import { isMissing, type MongoServer, startMongo } from '@agent-state/services';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { afterAll, onTestFinished } from 'vitest';

/** The client gives up before the agent does, and says what it knows. */
const clientDeadlines = { serverSelectionTimeoutMS: 900, connectTimeoutMS: 900, socketTimeoutMS: 900 };

/** A server of the file's own for its tests to break; undefined where there is no mongod. */
export async function ownMongo(): Promise<MongoServer | undefined> {
  const server = await startMongo();
  if (isMissing(server)) return undefined;
  afterAll(() => server.stop());
  return server;
}

/** A checkpointer with a client of its own, closed when the test is over. */
export function open({ url }: Pick<MongoServer, 'url'>, options: Partial<MongoCheckpointerOptions> = {}) {
  const checkpointer = createMongoCheckpointer({ url, ...clientDeadlines, ...options });
  onTestFinished(() => checkpointer.close());
  return checkpointer;
}

/** As {@link open}, on a client that was given: what it sends and what it is answered can be looked at. */
export function openGiven(url: string, options: MongoClientOptions = clientDeadlines) {
  const client = new MongoClient(url, { ...options, monitorCommands: true });
  onTestFinished(() => client.close());
  const checkpointer = createMongoCheckpointer({ client });
  onTestFinished(() => checkpointer.close());
  return { client, checkpointer };
}
