import { inspect } from 'node:util';
import { createClient, createSentinel } from '@keyv/redis';
import { describe, expect, test } from 'vitest';
import { redisAdapter } from './adapter.ts';
import { createRedisCheckpointer } from './checkpointer.ts';
import type { RedisCheckpointerOptions } from './options.ts';

const url = 'redis://127.0.0.1:1';
const misuse = (options: unknown) => () => createRedisCheckpointer(options as RedisCheckpointerOptions);

describe('options', () => {
  test.each([
    ['none of url, client and createClient', {}],
    ['two of them', { url, createClient: () => createClient() }],
    ['a client that is none', { client: {} }],
    ['a client that is nothing', { client: null }],
    ['a sentinel of node-redis', { client: createSentinel({ name: 'm', sentinelRootNodes: [] }) }],
    ['a url that is none', { url: 'u:S3CRET' }],
    ['a url of another store', { url: 'mongodb://u:S3CRET@h' }],
    ['a url whose path is no database', { url: 'redis://u:S3CRET@h/name' }],
    ['a url that is not percent-encoded', { url: 'redis://u:S3CRET%zz@h' }],
    ['a url that is no string', { url: new URL('redis://u:S3CRET@h') }],
    ['tls without a secure url', { url, tls: { ca: 'S3CRET' } }],
    ['tls with a client', { client: createClient(), tls: {} }],
    ['an empty namespace', { url, namespace: '' }],
    ['a limit of nothing', { url, maxMessageBytes: 0 }],
    ['a deadline of nothing', { url, commandTimeoutMs: 0 }],
    ['a deadline that is no number', { url, connectTimeoutMs: '5' }],
  ])('%s is a configuration error that shows no secret', (_, options) => {
    expect(misuse(options)).toThrow(expect.objectContaining({ code: 'configuration' }));
    try {
      misuse(options)();
    } catch (error) {
      expect(inspect(error, { depth: 9 })).not.toContain('S3CRET');
    }
  });

  test('[S-CFG-06] one that is misspelt is refused, with those that there are', () => {
    const misspelt = { url, tlt: 60 };
    expect(() => createRedisCheckpointer(misspelt)).toThrow(/tlt.*namespace/);
  });

  test('a createClient that makes no client, or throws, is told by the call', async () => {
    const store = createRedisCheckpointer({ createClient: (() => 1) as never });
    await expect(store.load('t')).rejects.toMatchObject({ code: 'configuration', path: 'createClient' });
  });
});

describe('the adapter of a settings file', () => {
  const connect = (provider: Record<string, unknown>) => () =>
    redisAdapter.connect({ name: 'main', namespace: 'agents', provider });

  test('serves backend = "redis" as a key-value store', () => {
    expect(redisAdapter).toMatchObject({ backends: ['redis'], strategy: 'kv_store' });
  });

  test.each(['uri', 'url'])('takes %s', async (name) => {
    const store = connect({ backend: 'redis', [name]: url })();
    expect(store.name).toBe('redis');
    await store.close();
  });

  test.each([{}, { uri: url, url }, { uri: 'S3CRET' }, { uri: 7 }])('refuses %j', (provider) => {
    expect(connect(provider)).toThrow(expect.objectContaining({ code: 'configuration' }));
    expect(connect(provider)).not.toThrow(/S3CRET/);
  });
});
