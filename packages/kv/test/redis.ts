import { isMissing, type RedisServer, startRedis } from '@agent-state/services';
import KeyvRedis, { type RedisClientOptions } from '@keyv/redis';
import { Keyv } from 'keyv';
import { afterAll, onTestFinished } from 'vitest';

/** A server of this file's own, stopped after it; undefined where there is no redis-server. */
export async function ownRedis(): Promise<RedisServer | undefined> {
  const server = await startRedis();
  if (isMissing(server)) return undefined;
  afterAll(() => server.stop());
  return server;
}

/** A Keyv over @keyv/redis as the README says to make it. */
export function keyvOn(url: string, socket?: RedisClientOptions['socket']): Keyv {
  const options = { url, disableOfflineQueue: true, ...(socket && { socket }) };
  const keyv = new Keyv(new KeyvRedis(options, { throwOnErrors: true }), { throwOnErrors: true });
  keyv.on('error', () => {});
  return keyv;
}

/** The same, for one test. */
export function openKeyv(url: string, socket?: RedisClientOptions['socket']): Keyv {
  const keyv = keyvOn(url, socket);
  onTestFinished(() => keyv.disconnect().catch(() => {}));
  return keyv;
}
