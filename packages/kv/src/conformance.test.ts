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
    const open = async (namespace = 'agent_state') =>
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

if (!redis) describe('Keyv on Redis', () => test.skip('conforms (there is no redis-server)'));
else {
  conformance({
    name: 'Keyv on Redis',
    async create() {
      await redis.command('FLUSHALL');
      const open = async (namespace = 'agent_state') => {
        const keyv = keyvOn(redis.url);
        return closing(createKvCheckpointer({ keyv, namespace }), () => keyv.disconnect());
      };
      return { open: () => open(), openIn: open, raw: () => everything(redis), close: async () => {} };
    },
  });
}

async function everything(server: RedisServer): Promise<string[]> {
  const keys = (await server.command('KEYS', '*')) as string[];
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
