import type { Emitter, RedisDriver } from './driver.ts';
import { ignoreErrorEvents, shared } from './listen.ts';
import { quietly } from './node-redis.ts';

/** A node-redis cluster, as `createCluster` makes it. */
export interface NodeRedisCluster extends Emitter {
  readonly isOpen: boolean;
  readonly nodeByAddress: object;
  connect(): Promise<unknown>;
  destroy(): void;
  sendCommand(key: string | undefined, isReadonly: boolean, command: string[]): Promise<unknown>;
}

export function driveNodeRedisCluster(cluster: NodeRedisCluster): RedisDriver {
  let opened = cluster.isOpen;
  let connecting = false;
  const ended = (): boolean => opened && !cluster.isOpen;
  const connect = shared(async () => {
    // It is open from the start of the attempt on, but knows no node before the end.
    connecting = true;
    try {
      await cluster.connect();
      opened = true;
    } finally {
      connecting = false;
    }
  });
  return {
    cluster: true,
    ended,
    async ready() {
      if (cluster.isOpen && !connecting) return;
      if (ended()) throw new Error('The client is closed');
      await connect();
    },
    send: (key, command) => cluster.sendCommand(key, false, command),
    release: ignoreErrorEvents(cluster),
    destroy: () => quietly(() => cluster.destroy()),
  };
}
