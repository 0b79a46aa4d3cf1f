import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isMissing } from '../missing.ts';
import { startMongo } from './start-mongo.ts';

const mongo = await startMongo();
if (isMissing(mongo)) test.skip(`a private mongod (${mongo.missing})`);
else {
  const client = new MongoClient(mongo.url, { serverSelectionTimeoutMS: 5000, retryWrites: false });
  const things = client.db('test').collection('things');
  beforeAll(async () => void (await things.insertOne({ n: 1 })));
  afterAll(async () => {
    await client.close();
    await mongo.stop();
  });

  describe('a private mongod', () => {
    test('commits transactions', async () => {
      await client.withSession((session) =>
        session.withTransaction(async () => {
          await things.insertOne({ n: 2 }, { session });
          await things.insertOne({ n: 3 }, { session });
        }),
      );
      expect(await things.countDocuments({ n: { $gt: 1 } })).toBe(2);
    });

    test('fails a command as often as it is told', async () => {
      await mongo.failCommand({ failCommands: ['insert'], errorCode: 11600 });
      await expect(things.insertOne({ n: 4 })).rejects.toMatchObject({ code: 11600 });
      await things.insertOne({ n: 4 });
    });

    test('keeps failing until the fail point is off', async () => {
      await mongo.failCommand({ failCommands: ['insert'], errorCode: 14031 }, 'alwaysOn');
      for (const n of [5, 6]) await expect(things.insertOne({ n })).rejects.toMatchObject({ code: 14031 });
      await mongo.failPoint('failCommand', 'off');
      await things.insertOne({ n: 5 });
    });

    test('comes back with its data on the same port after a kill', async () => {
      await things.insertOne({ n: 7 }, { writeConcern: { w: 'majority' } });
      await mongo.kill();
      await mongo.start();
      expect(await things.countDocuments({ n: 7 })).toBe(1);
    });

    test('does not answer while it is frozen, and answers afterwards', async () => {
      mongo.freeze();
      const count = things.countDocuments({ n: 7 });
      const first = await Promise.race([count, new Promise((resolve) => setTimeout(resolve, 200, 'silence'))]);
      expect(first).toBe('silence');
      mongo.thaw();
      expect(await count).toBe(1);
    });
  });
}
