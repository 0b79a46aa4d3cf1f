import { type AdapterConnection, AgentStateError, type CheckpointerAdapter } from '@agent-state/core';
import { createMongoCheckpointer } from './checkpointer.ts';

/** For a settings file: `backend = "mongo"` (or `"mongodb"`) with `provider.url` and `provider.database_name`. */
export const mongoAdapter: CheckpointerAdapter = Object.freeze<CheckpointerAdapter>({
  backends: ['mongo', 'mongodb'],
  strategy: 'document',
  providerKeys: Object.freeze(['url', 'uri', 'database_name']),
  connect(connection) {
    const url = text(connection, 'url') ?? text(connection, 'uri');
    const database = text(connection, 'database_name');
    if (url === undefined) throw invalid(connection, 'url', 'is missing');
    return createMongoCheckpointer({
      url,
      namespace: connection.namespace,
      ...(database === undefined ? {} : { database }),
    });
  },
});

function text(connection: AdapterConnection, key: string): string | undefined {
  const value = connection.provider[key];
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw invalid(connection, key, 'has to be a string that is not empty');
}

function invalid({ name }: AdapterConnection, key: string, what: string): AgentStateError {
  return new AgentStateError('configuration', `database.documents.${name}.provider.${key} ${what}.`, {
    path: `database.documents.${name}.provider.${key}`,
  });
}
