import { conformance } from '@agent-state/conformance/vitest';
import type { RedisServer } from '@agent-state/services';
import { describe, test } from 'vitest';
import { everything, flush } from './servers.ts';
import type { Variant } from './variants.ts';

/** Runs the suite on servers that nobody else uses meanwhile: every case empties them. */
export function conform(variant: Variant, servers: readonly RedisServer[] | undefined): void {
  if (!servers) {
    describe(variant.name, () => test.skip('conforms (there is no redis-server)'));
    return;
  }
  const urls = servers.map((server) => server.url);
  conformance({
    name: `redis, by ${variant.name}`,
    async create() {
      await flush(servers);
      return {
        open: async () => variant.open(urls),
        openIn: async (namespace) => variant.open(urls, { namespace }),
        raw: () => everything(servers),
        close: () => flush(servers),
      };
    },
  });
}
