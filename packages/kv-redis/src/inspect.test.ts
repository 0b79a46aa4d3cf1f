import type { Logger } from '@agent-state/core';
import type { RedisServer } from '@agent-state/services';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { commandCounts, ownRedis } from '../test/servers.ts';
import { write } from '../test/threads.ts';
import { createRedisCheckpointer } from './checkpointer.ts';

const redis = await ownRedis({ args: ['--save', '3600 1'] });

describe.skipIf(!redis)('what is said of a server when it is first reached', () => {
  const server = redis as RedisServer;
  afterEach(() => server.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction', 'save', '3600 1'));

  function open(url = server.url) {
    const said: string[] = [];
    const logger: Logger = { info() {}, error() {}, warn: (_, message) => void said.push(message) };
    const store = createRedisCheckpointer({ url, logger });
    onTestFinished(() => store.close());
    return { store, said };
  }

  test('nothing, of one that keeps what it is given', async () => {
    const { store, said } = open();
    await store.load('t');
    expect(said).toEqual([]);
  });

  test('once, that it may evict threads, also after a reset', async () => {
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const { store, said } = open();
    await Promise.all([store.load('t'), store.load('u')]);
    store.reset();
    await store.load('t');
    expect(said).toEqual([expect.stringContaining('evict')]);
  });

  test('on the console, where there is no logger, that it may evict threads', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const store = createRedisCheckpointer({ url: server.url });
    onTestFinished(() => store.close());
    await store.load('t');
    expect(warn).not.toHaveBeenCalled();
    await server.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu');
    const other = createRedisCheckpointer({ url: server.url });
    onTestFinished(() => other.close());
    await other.load('t');
    expect(warn.mock.calls).toEqual([[expect.stringContaining('evict'), { policy: 'allkeys-lfu' }]]);
  });

  test('that it keeps nothing on disk', async () => {
    await server.command('CONFIG', 'SET', 'save', '');
    const { store, said } = open();
    await store.load('t');
    expect(said).toEqual([expect.stringContaining('disk')]);
  });

  test.each(['-config', '-info'])('nothing, to a user with %s: it works all the same', async (rule) => {
    await server.command('ACL', 'SETUSER', 'app', 'reset', 'on', '>pw', '~*', '+@all', rule);
    await server.command('CONFIG', 'SET', 'save', '');
    const { store, said } = open(server.url.replace('//', '//app:pw@'));
    await store.save('t', { state: { history: [] } });
    expect(said).toEqual([]);
  });

  test('it is looked at once, not with every save', async () => {
    const { store } = open();
    let base = await store.save('often', write([]));
    await server.command('CONFIG', 'RESETSTAT');
    for (let round = 0; round < 5; round += 1) base = await store.save('often', write([], { base }));
    expect(Object.keys(await commandCounts(server))).not.toContain('info');
  });
});
