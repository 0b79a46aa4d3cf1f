import type { Checkpointer } from '@agent-state/core';
import type { RedisServer } from '@agent-state/services';
import { Keyv } from 'keyv';
import { describe, expect, test } from 'vitest';
import { openKeyv, ownRedis } from '../test/redis.ts';
import { createKvCheckpointer } from './checkpointer.ts';

const redis = await ownRedis();
const user = (content: string) => ({ role: 'user' as const, content });
const write = (text: string) => ({ state: { history: [user(text)] } });

async function content(store: Checkpointer): Promise<unknown> {
  const found = await store.load('t');
  return found.found ? found.state.history[0]?.content : undefined;
}

describe.skipIf(!redis)('[S-KEY-01] one store adapter under two services', () => {
  const server = redis as RedisServer;

  test('with namespaces of ours on one Keyv: each sees its own threads only', async () => {
    const keyv = openKeyv(server.url);
    const first = createKvCheckpointer({ keyv, namespace: 'first' });
    await first.save('t', write('of the first'));
    const second = createKvCheckpointer({ keyv, namespace: 'second' });
    expect(await content(second)).toBeUndefined();
    await second.save('t', write('of the second'));
    expect([await content(first), await content(second)]).toEqual(['of the first', 'of the second']);
    await first.delete('t');
    expect([await content(first), await content(second)]).toEqual([undefined, 'of the second']);
  });

  test('with a Keyv each, of another namespace: the first is told, and no thread looks absent', async () => {
    const keyv = openKeyv(server.url);
    const first = createKvCheckpointer({ keyv });
    await first.save('t', write('of the first'));
    const another = new Keyv(keyv.store, { namespace: 'another', throwOnErrors: true });
    const calls = [() => first.load('t'), () => first.save('t', write('lost')), () => first.delete('t')];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'configuration', path: 'keyv' });
    expect(() => createKvCheckpointer({ keyv })).toThrow(expect.objectContaining({ code: 'configuration' }));
    expect(await content(createKvCheckpointer({ keyv: another }))).toBeUndefined();
    keyv.store.namespace = keyv.namespace;
    expect(await content(first)).toBe('of the first');
  });

  test('with a Keyv each over one Map, which knows no namespace: each sees its own threads only', async () => {
    const map = new Map();
    const [first, second] = ['first', 'second'].map((namespace) =>
      createKvCheckpointer({ keyv: new Keyv(map, { namespace, throwOnErrors: true }) }),
    ) as [Checkpointer, Checkpointer];
    await first.save('t', write('of the first'));
    expect([await content(first), await content(second)]).toEqual(['of the first', undefined]);
  });
});
