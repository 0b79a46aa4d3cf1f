import { conformance } from '@agent-state/conformance/vitest';
import type { Checkpointer } from '@agent-state/core';
import type { RedisServer } from '@agent-state/services';
import { Keyv } from 'keyv';
import { describe, test } from 'vitest';
import { keyvOn, ownRedis } from '../test/redis.ts';
import { createKvCheckpointer } from './checkpointer.ts';

conformance({
  name: 'Keyv in memory',
  async create() {
    const map = new Map<string, unknown>();
    const open = async (namespace = 'agent_checkpoints') =>
      createKvCheckpointer({ keyv: new Keyv(map, { throwOnErrors: true }), namespace });
    return {
      open: () => open(),
      openIn: open,
      raw: async () => [...map].flatMap(([key, value]) => [key, JSON.stringify(value)]),
      close: async () => map.clear(),
    };
  },
});

const redis = await ownRedis();
let backends = 0;

if (!redis) describe('Keyv on Redis', () => test.skip('conforms (there is no redis-server)'));
else {
  conformance({
    name: 'Keyv on Redis',
    async create() {
      backends += 1;
      // Every backend has namespaces of its own, told by how they begin.
      const start = `c${backends}x`;
      const openIn = async (namespace: string) => {
        const keyv = keyvOn(redis.url);
        return closing(createKvCheckpointer({ keyv, namespace: `${start}${namespace}` }), () => keyv.disconnect());
      };
      const raw = () => everything(redis, `*${start}*`);
      return { open: () => openIn(''), openIn, raw, close: async () => {} };
    },
  });
}

async function everything(server: RedisServer, pattern: string): Promise<string[]> {
  const keys = (await server.command('KEYS', pattern)) as string[];
  const values = await Promise.all(keys.map((key) => server.command('GET', key)));
  return [...keys, ...values.map(String)];
}

/** The suite closes checkpointers; the Keyv is this file's to close. */
function closing(checkpointer: Checkpointer, close: () => Promise<unknown>): Checkpointer {
  return Object.freeze({
    ...checkpointer,
    async close() {
      await checkpointer.close();
      await close().catch(() => {});
    },
  });
}
