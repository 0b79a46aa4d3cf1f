import type { Emitter, RedisDriver } from './driver.ts';
import { firstOf, ignoreErrorEvents, shared } from './listen.ts';

/** A node-redis client, as `createClient` makes it. */
export interface NodeRedisClient extends Emitter {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  unref(): void;
  sendCommand(command: string[]): Promise<unknown>;
}

export function driveNodeRedis(client: NodeRedisClient): RedisDriver {
  const ignored = ignoreErrorEvents(client);
  const attempts = trackAttempts(client);
  let opened = client.isOpen;
  const ended = (): boolean => opened && !client.isOpen;
  const connect = shared(async () => {
    const outcome = firstOf(client, ['ready'], ['error', 'end']);
    if (!client.isOpen) {
      attempts.begin();
      // A failed attempt is told by its `error` event; this promise lasts for as long as the client tries.
      client.connect().catch(() => {});
    }
    opened = true;
    await outcome;
  });
  return {
    cluster: false,
    ended,
    async ready() {
      if (client.isReady) return;
      if (ended()) throw new Error('The client is closed');
      await connect();
    },
    send: (_key, command) => client.sendCommand(command),
    release() {
      attempts.release();
      ignored();
    },
    destroy() {
      client.unref();
      attempts.afterwards(() => quietly(() => client.destroy()));
    },
  };
}

/**
 * A client that is destroyed while its socket is being made connects all the same, and that connection stays for ever:
 * `afterwards` waits for the end of such an attempt.
 */
function trackAttempts(client: NodeRedisClient) {
  // Open, but not ready: an attempt of before anybody looked.
  let underWay = client.isOpen && !client.isReady;
  let waiting: (() => void) | undefined;
  const begin = (): void => {
    underWay = true;
  };
  const end = (): void => {
    underWay = false;
    waiting?.();
  };
  const ends = ['connect', 'error', 'end'] as const;
  client.on('reconnecting', begin);
  for (const event of ends) client.on(event, end);
  return {
    begin,
    afterwards(act: () => void): void {
      if (underWay) waiting = act;
      else act();
    },
    release(): void {
      client.off('reconnecting', begin);
      for (const event of ends) client.off(event, end);
    },
  };
}

/** Destroying what is closed already throws; it is what was wanted. */
export function quietly(act: () => void): void {
  try {
    act();
  } catch {}
}
