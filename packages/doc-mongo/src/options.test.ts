import { MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { mongoAdapter } from './adapter.ts';
import { createMongoCheckpointer } from './checkpointer.ts';
import { type MongoCheckpointerOptions, settingsOf } from './options.ts';

const url = 'mongodb://127.0.0.1:1/';

describe('the options', () => {
  test('have defaults', () => {
    expect(settingsOf({ url })).toMatchObject({
      database: 'agent_state',
      namespace: 'agent_checkpoints',
      maxMessageBytes: 16_000_000,
      timeouts: { serverSelectionTimeoutMS: 1_500, connectTimeoutMS: 1_500, socketTimeoutMS: 2_000 },
      tail: { messages: 64, bytes: 4_000_000 },
    });
  });

  test.each<[string, MongoCheckpointerOptions]>([
    ['url', {}],
    ['url', { url, createClient: () => new MongoClient(url) }],
    ['url', { url: 'redis://localhost' }],
    ['database', { url, database: 'a.b' }],
    ['database', { url, database: '' }],
    ['namespace', { url, namespace: '' }],
    ['maxMessageBytes', { url, maxMessageBytes: 16_000_001 }],
    ['socketTimeoutMS', { url, socketTimeoutMS: 0 }],
    ['tail.messages', { url, tail: { messages: 0 } }],
    ['tail.bytes', { url, tail: { bytes: 1.5 } }],
  ])('that cannot be meant are refused, naming %s', (path, options) => {
    expect(() => createMongoCheckpointer(options)).toThrow(expect.objectContaining({ code: 'configuration', path }));
  });

  test('[S-CFG-06] one that is misspelt is refused, with those that there are', () => {
    const misspelt = { url, tlt: 60 };
    expect(() => createMongoCheckpointer(misspelt)).toThrow(/tlt.*namespace/);
  });
});

describe('the adapter for settings files', () => {
  const connection = { name: 'default_mongo', namespace: 'agent_checkpoints' };

  test('serves mongo and mongodb as a document store', () => {
    expect(mongoAdapter).toMatchObject({ backends: ['mongo', 'mongodb'], strategy: 'document' });
  });

  test.each([{ url, database_name: 'agents' }, { uri: url }])('takes %j', async (provider) => {
    const store = mongoAdapter.connect({ ...connection, provider });
    expect(store).toMatchObject({ name: 'mongo', capabilities: { conditional: true, query: true } });
    await store.close();
  });

  test.each([
    ['url', {}],
    ['url', { url: 1 }],
    ['database_name', { url, database_name: {} }],
  ])('names the setting %s where it is wrong', (key, provider) => {
    const path = `database.documents.default_mongo.provider.${key}`;
    expect(() => mongoAdapter.connect({ ...connection, provider })).toThrow(
      expect.objectContaining({ code: 'configuration', path }),
    );
  });
});
