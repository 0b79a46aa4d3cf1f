import { inspect } from 'node:util';
import type { RedisServer } from '@agent-state/services';
import { createClient } from '@keyv/redis';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ownRedis } from '../test/servers.ts';
import { append, textsOf, write } from '../test/threads.ts';
import { createRedisCheckpointer } from './checkpointer.ts';
import type { RedisCheckpointerOptions } from './options.ts';

const redis = await ownRedis();
const secure = await ownRedis({ tls: true });
const secret = 'S3CRET%2Fp@ss'.replace('@', '%40');

function open(options: RedisCheckpointerOptions) {
  const store = createRedisCheckpointer({ connectTimeoutMs: 500, commandTimeoutMs: 500, ...options });
  onTestFinished(() => store.close());
  return store;
}

async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.fail('it succeeded'),
    (error: unknown) => error,
  );
}

describe.skipIf(!redis)('users of the server', () => {
  const server = redis as RedisServer;
  const withUser = (name: string) => server.url.replace('//', `//${name}:${secret}@`);
  const setUser = (name: string, ...rules: string[]) =>
    server.command('ACL', 'SETUSER', name, 'reset', 'on', `>${decodeURIComponent(secret)}`, '~*', ...rules);

  beforeEach(async () => {
    await server.command('FLUSHALL');
    await server.command('SCRIPT', 'FLUSH');
  });

  test('a url with user and password is enough, and the commands the README names are', async () => {
    const commands = 'evalsha eval hmget hget hset hlen hkeys hdel exists get set unlink pexpire persist';
    await setUser('app', ...commands.split(' ').map((command) => `+${command}`));
    const store = open({ url: withUser('app') });
    let base = await store.save('t', write(['a']));
    base = await append(store, 't', base, ['a'], 'b');
    await store.save('t', write(['c'], { base, ttl: { ttlMs: 60_000, pausedTtlMs: null } }));
    expect(await textsOf(store, 't')).toEqual(['c']);
    await store.delete('t');
    expect(await textsOf(store, 't')).toBeNull();
  });

  test.each(['evalsha', 'eval', 'hset', 'hmget'])('a user who may not %s is denied', async (command) => {
    await setUser('app', '+@all', `-${command}`);
    const store = open({ url: withUser('app') });
    await expect(store.save('t', write(['a']))).rejects.toMatchObject({ code: 'denied' });
  });

  test('a wrong password is denied, without showing it', async () => {
    await setUser('app', '+@all');
    const url = withUser('app').replace(secret, 'S3CRETwrong');
    for (const options of [
      { url },
      { createClient: () => createClient({ url }) },
      { createClient: () => new Redis(url, { lazyConnect: true }) },
    ]) {
      const error = await failure(open(options).load('t'));
      expect(error).toMatchObject({ code: 'denied' });
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('S3CRET');
    }
  });

  test('a server that wants a password denies whoever has none', async () => {
    await server.command('CONFIG', 'SET', 'requirepass', 'pw');
    onTestFinished(async () => {
      const admin = new Redis(server.url.replace('//', '//:pw@'));
      await admin.config('SET', 'requirepass', '');
      admin.disconnect();
    });
    await expect(open({ url: server.url }).load('t')).rejects.toMatchObject({ code: 'denied' });
  });

  test('no error shows the password or what was to be stored', async () => {
    await setUser('reader', '+@all', '-hset', '-eval');
    const urls = [
      withUser('reader'),
      `redis://app:${secret}@127.0.0.1:1`,
      `redis://app:${secret}@no.such.host.invalid`,
    ];
    for (const url of urls) {
      const clients = [{ url }, { createClient: () => new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0 }) }];
      for (const options of clients) {
        const error = await failure(open(options).save('t', write(['C0NTENT'])));
        expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/S3CRET|C0NTENT/);
        expect(JSON.stringify(error)).not.toMatch(/S3CRET|C0NTENT/);
      }
    }
  });
});

describe.skipIf(!secure)('TLS', () => {
  const server = secure as RedisServer;

  test('a private authority is trusted where it is given', async () => {
    const store = open({ url: server.url, tls: { ca: server.ca as string } });
    await store.save('t', write(['a']));
    expect(await textsOf(store, 't')).toEqual(['a']);
  });

  test('an authority that nobody vouched for is unavailable, and says why', async () => {
    const error = await failure(open({ url: server.url }).load('t'));
    expect(error).toMatchObject({ code: 'unavailable', applied: 'no', cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
  });

  test('a plain connection to it is unavailable', async () => {
    const error = await failure(open({ url: server.url.replace('rediss', 'redis') }).load('t'));
    expect(error).toMatchObject({ code: 'unavailable', applied: 'no' });
  });
});
