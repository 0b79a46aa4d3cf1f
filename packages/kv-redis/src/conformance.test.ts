import { conformance } from '@agent-state/conformance/vitest';
import { describe, test } from 'vitest';
import { everything, flush, ownCluster, ownRedis } from '../test/servers.ts';
import { variants } from '../test/variants.ts';

const redis = await ownRedis();
const masters = await ownCluster();

for (const { name, cluster, open } of variants) {
  const servers = cluster ? masters : redis && [redis];
  if (!servers) {
    describe(name, () => test.skip('conforms (there is no redis-server)'));
    continue;
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
