import { conformance } from '@agent-state/conformance/vitest';
import type { RedisServer } from '@agent-state/services';
import { describe, test } from 'vitest';
import { everything } from './servers.ts';
import type { Variant } from './variants.ts';

let backends = 0;

/** Runs the suite; every backend has namespaces of its own, told by how they begin. */
export function conform(variant: Variant, servers: readonly RedisServer[] | undefined): void {
  if (!servers) {
    describe(variant.name, () => test.skip('conforms (there is no redis-server)'));
    return;
  }
  const urls = servers.map((server) => server.url);
  conformance({
    name: `redis, by ${variant.name}`,
    async create() {
      backends += 1;
      const start = `c${backends}x`;
      return {
        open: async () => variant.open(urls, { namespace: start }),
        openIn: async (namespace) => variant.open(urls, { namespace: `${start}${namespace}` }),
        raw: () => everything(servers, `${start}*`),
        close: async () => {},
      };
    },
  });
}
