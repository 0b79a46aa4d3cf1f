import { conformance } from '@agent-state/conformance/vitest';
import type { RedisServer } from '@agent-state/services';
import { describe, test } from 'vitest';
import { everything, flush } from './servers.ts';
import type { Variant } from './variants.ts';

/** Runs the suite on servers that nobody else uses meanwhile: every case empties them. */
export function conform({ name, open }: Variant, servers: readonly RedisServer[] | undefined): void {
  if (!servers) {
    describe(name, () => test.skip('conforms (there is no redis-server)'));
    return;
  }
  const urls = servers.map((server) => server.url);
  conformance({
    name: `redis, by ${name}`,
    async create() {
      await flush(servers);
      return {
        open: async () => open(urls),
        openIn: async (namespace) => open(urls, { namespace }),
        raw: () => everything(servers),
        close: () => flush(servers),
      };
    },
  });
}
