import { type Checkpointer, defineCheckpointer } from '@agent-state/core';
import { clientOfUrl } from './client-of-url.ts';
import { createConnection } from './connection.ts';
import type { RedisDriver } from './drivers/driver.ts';
import { driverOf } from './drivers/recognise.ts';
import { misconfigured, type RedisCheckpointerOptions, type Settings, settingsOf } from './options.ts';
import { createRedisStore } from './store.ts';

/**
 * A checkpointer on Redis 6.2 or newer: one hash a thread, every save one script and one round trip. It connects with
 * the first call, so a server that is down does not keep it from being made. Throws `configuration` for options that
 * cannot work.
 */
export function createRedisCheckpointer(options: RedisCheckpointerOptions): Checkpointer {
  const settings = settingsOf(options);
  const { logger } = options;
  const connection = createConnection({ ...sourceOf(options, settings), ...settings, logger });
  return defineCheckpointer(createRedisStore(connection, settings));
}

function sourceOf(options: RedisCheckpointerOptions, settings: Settings) {
  const { url, client, createClient, tls } = options;
  const given = [url, client, createClient].filter((source) => source !== undefined);
  if (given.length !== 1) throw misconfigured('url', 'Give exactly one of url, client and createClient.');
  if (tls && url === undefined) throw misconfigured('tls', 'tls goes with url; a client has its own.');
  if (client !== undefined) {
    const driver = drive(client, 'client');
    return { owned: false, open: () => driver };
  }
  const make = createClient ?? clientOfUrl(options, settings);
  return { owned: true, open: () => drive(make(), createClient ? 'createClient' : 'url') };
}

function drive(client: unknown, path: string): RedisDriver {
  const driver = driverOf(client);
  if (driver) return driver;
  throw misconfigured(path, 'Expected a client or cluster of node-redis (5 or newer) or ioredis.');
}
