import { MongoClient } from 'mongodb';
import { isMissing, type Missing } from '../missing.ts';
import { startMongo } from './start-mongo.ts';

/** A MongoDB to use, not to break. */
export interface Mongo {
  readonly url: string;
  readonly version: string;
  readonly from: string;
  stop(): Promise<void>;
}

/** The one that `MONGODB_URI` names, left running afterwards; otherwise a private one. */
export async function openMongo(): Promise<Mongo | Missing> {
  const url = process.env.MONGODB_URI;
  if (url) return { url, version: await versionAt(url), from: 'MONGODB_URI', stop: async () => {} };
  const server = await startMongo();
  if (isMissing(server)) return server;
  return { url: server.url, version: server.version, from: server.from, stop: () => server.stop() };
}

async function versionAt(url: string): Promise<string> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 10_000 });
  try {
    const { version } = await client.db('admin').command({ buildInfo: 1 });
    return String(version);
  } finally {
    await client.close();
  }
}
