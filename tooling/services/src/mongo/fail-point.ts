import { type Document, MongoClient } from 'mongodb';

/** What the server's `failCommand` fail point is told; the names are the server's own. */
export interface FailCommand {
  readonly failCommands: readonly string[];
  readonly errorCode?: number;
  readonly closeConnection?: boolean;
  readonly blockConnection?: boolean;
  readonly blockTimeMS?: number;
  readonly writeConcernError?: Document;
  readonly errorLabels?: readonly string[];
  readonly appName?: string;
}

export type FailMode = 'alwaysOn' | 'off' | { readonly times: number } | { readonly skip: number };

/** One administrative command on a connection of its own. */
export async function mongoCommand(port: number, command: Document, db = 'admin'): Promise<Document> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/`, {
    directConnection: true,
    serverSelectionTimeoutMS: 2000,
    connectTimeoutMS: 2000,
  });
  try {
    return await client.db(db).command(command);
  } finally {
    await client.close();
  }
}

export async function setFailPoint(port: number, name: string, mode: FailMode, data?: Document): Promise<void> {
  await mongoCommand(port, { configureFailPoint: name, mode, ...(data && { data }) });
}
