import { cases } from '@agent-state/conformance';
import { conformance } from '@agent-state/conformance/vitest';
import { test } from 'vitest';
import { everythingIn, freshDatabase, mongoUrl, rawClient, sharedUrl } from '../test/support.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

/** The groups of cases that also run with bounds such that nearly every save seals: those about what is in a history. */
const aboutHistories = /^(changes|concurrency|deletes|positions|queries|references|results-ahead|steps|tombstones)\//;
const sealing = { tail: { messages: 2, bytes: 2_000 } };

// Declaring the cases opens a checkpointer already.
if (mongoUrl === undefined) test.skip('the MongoDB checkpointer (there is no mongod)', () => {});
else {
  conformance(target('mongo'));
  conformance(target('mongo with a tail of two messages', sealing), {
    cases: cases.filter(({ id }) => aboutHistories.test(id)),
  });
}

function target(name: string, options = {}) {
  const url = sharedUrl;
  return {
    name,
    async create() {
      const database = freshDatabase();
      const client = rawClient(url);
      return {
        open: async () => createMongoCheckpointer({ url, database, ...options }),
        openIn: async (namespace: string) => createMongoCheckpointer({ url, database, namespace, ...options }),
        raw: () => everythingIn(client, database),
        async close() {
          await client.db(database).dropDatabase();
          await client.close();
        },
      };
    },
  };
}
