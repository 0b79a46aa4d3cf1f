import { conformance } from '@agent-state/conformance/vitest';
import { describe } from 'vitest';
import { everythingIn, freshDatabase, mongoUrl, rawClient } from '../test/support.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

/** With the usual bounds, and with such that nearly every save seals. */
const bounds = { 'the usual bounds': {}, 'a tail of two messages': { tail: { messages: 2, bytes: 2_000 } } };

describe.skipIf(mongoUrl === undefined)('the MongoDB checkpointer', () => {
  for (const [name, options] of Object.entries(bounds)) {
    const url = mongoUrl ?? '';
    conformance({
      name: `mongo with ${name}`,
      create: async () => {
        const database = freshDatabase();
        const client = rawClient(url);
        const open = async (namespace?: string) =>
          createMongoCheckpointer({ url, database, ...(namespace === undefined ? {} : { namespace }), ...options });
        return {
          open: () => open(),
          openIn: open,
          raw: () => everythingIn(client, database),
          async close() {
            await client.db(database).dropDatabase();
            await client.close();
          },
        };
      },
    });
  }
});
