import KeyvRedis, { type RedisClientOptions } from '@keyv/redis';
import { assertUrl, misconfigured, type RedisCheckpointerOptions, type Settings } from './options.ts';

/** Half a second at most between two attempts, and spread, so that many processes do not come back at once. */
function reconnectStrategy(retries: number): number {
  return Math.min(2 ** retries * 25, 500) * (0.75 + Math.random() / 4);
}

/**
 * Makes clients for `url`, by @keyv/redis and taken out of it: Keyv's own get and set have no compare-and-set, and
 * expire by the reader's clock. `socketTimeout` is not used, for it also closes connections that are merely idle.
 */
export function clientOfUrl(
  { url, tls }: Pick<RedisCheckpointerOptions, 'url' | 'tls'>,
  { connectTimeoutMs }: Pick<Settings, 'connectTimeoutMs'>,
): () => unknown {
  assertUrl(url);
  if (tls && !url.startsWith('rediss:')) throw misconfigured('tls', 'tls needs a rediss:// url.');
  const socket = { ...(tls && { tls: true, ...tls }), connectTimeout: connectTimeoutMs, reconnectStrategy };
  // A queued command would run when the server is back, over a newer value.
  const options = () => ({ url, disableOfflineQueue: true, socket: { ...socket } });
  // The cast: the options of a socket are a union over `tls`, which a spread does not narrow.
  return () => new KeyvRedis(options() as RedisClientOptions, { throwOnErrors: true }).client;
}
