import { user } from '@agent-state/conformance/fixtures';
import { isAgentStateError } from '@agent-state/core';
import { isMissing, startMongo } from '@agent-state/services';
import { MongoClient, MongoClientClosedError, MongoExpiredSessionError, MongoTopologyClosedError } from 'mongodb';
import { describe, expect, test } from 'vitest';
import { absent, freshDatabase, state } from '../test/support.ts';
import { createMongoCheckpointer } from './checkpointer.ts';
import { asAgentStateError } from './errors.ts';

describe('calls under way when their client is closed', () => {
  test.each([new MongoClientClosedError(), new MongoExpiredSessionError(), new MongoTopologyClosedError()])(
    '%s is an outage, and the write may have been applied',
    (error) => {
      expect(asAgentStateError(error, true)).toMatchObject({ code: 'unavailable', applied: 'maybe' });
      expect(asAgentStateError(error, false)).toMatchObject({ code: 'unavailable', applied: 'no' });
    },
  );
});

const mongo = await startMongo();
if (isMissing(mongo)) test.skip(`resets (${mongo.missing})`);
else {
  test('a reset under load is an outage to what is under way; what was stored is never called not applied', async () => {
    const database = freshDatabase();
    const store = createMongoCheckpointer({ url: mongo.url, database });
    await store.load('warm');
    const ids = Array.from({ length: 300 }, (_, index) => `t${index}`);
    const saves = ids.map((id) => store.save(id, { state: state([user(id)]), base: absent }));
    await Promise.any(saves);
    store.reset();
    const outcomes = await Promise.allSettled(saves);
    await store.close();
    const client = await new MongoClient(mongo.url).connect();
    const documents = await client.db(database).collection('agent_checkpoints').find().toArray();
    await client.close();
    await mongo.stop();
    const stored = new Set(documents.map(({ _id }) => String(_id)));
    const failed = outcomes.flatMap((outcome, index) =>
      outcome.status === 'rejected' ? [{ id: ids[index] as string, reason: outcome.reason }] : [],
    );
    expect(failed.length).toBeGreaterThan(0);
    for (const { id, reason } of failed) {
      expect(isAgentStateError(reason, 'unavailable'), String(reason)).toBe(true);
      if (reason.applied === 'no') expect(stored.has(id), `${id} is stored`).toBe(false);
    }
  });
}
