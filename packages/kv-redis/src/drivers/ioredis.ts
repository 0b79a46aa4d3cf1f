import type { Emitter, RedisDriver } from './driver.ts';
import { firstOf, ignoreErrorEvents, shared } from './listen.ts';

/** An ioredis client or Cluster. */
export interface IoredisClient extends Emitter {
  readonly status: string;
  readonly isCluster: boolean;
  connect(): Promise<unknown>;
  disconnect(): void;
  call(command: string, args: string[]): Promise<unknown>;
}

export function driveIoredis(client: IoredisClient): RedisDriver {
  const ended = (): boolean => client.status === 'end';
  const connect = shared(async () => {
    const outcome = firstOf(client, ['ready'], ['error', 'end']);
    // A failure is told by the events as well.
    if (client.status === 'wait') client.connect().catch(() => {});
    await outcome;
  });
  return {
    cluster: client.isCluster,
    ended,
    async ready() {
      if (client.status === 'ready') return;
      if (ended()) throw new Error('The client is closed');
      await connect();
    },
    send: (_key, [command = '', ...args]) => client.call(command, args),
    release: ignoreErrorEvents(client),
    destroy: () => client.disconnect(),
  };
}
