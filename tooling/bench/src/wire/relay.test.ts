import { isMissing, startRedis } from '@agent-state/services';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { ownOfRedisClients, parseRedis } from './redis.ts';
import { startRelay } from './relay.ts';

test('a relay passes everything on, and counts what is not the client’s own', async ({ skip }) => {
  const server = await startRedis();
  if (isMissing(server)) return skip(server.missing);
  const relay = await startRelay(server.port, parseRedis, ownOfRedisClients);
  const client = new Redis(relay.port);
  onTestFinished(async () => {
    client.disconnect();
    await relay.stop();
    await server.stop();
  });
  await client.ping();
  expect(relay.read()).toEqual({ calls: 0, bytes: 0 });
  await client.set('a', 'b');
  const sent = '*3\r\n$3\r\nset\r\n$1\r\na\r\n$1\r\nb\r\n';
  expect(relay.read()).toEqual({ calls: 1, bytes: sent.length });
  expect(await client.get('a')).toBe('b');
});
