import type { Checkpointer } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { isMissing, type Missing, type MongoServer, startMongo } from '@agent-state/services';
import { ownOfMongoDrivers, parseMongo } from '../wire/mongo.ts';
import { startRelay } from '../wire/relay.ts';
import type { MeasuredStore } from './store.ts';

const database = 'cost';

export async function startMeasuredMongo(): Promise<MeasuredStore | Missing> {
  const server = await startMongo();
  if (isMissing(server)) return server;
  const relay = await startRelay(server.port, parseMongo, ownOfMongoDrivers);
  await moveBehind(server, relay.port);
  const url = `mongodb://127.0.0.1:${relay.port}/?replicaSet=rs0`;
  const opened: Checkpointer[] = [];
  return {
    open() {
      const checkpointer = createMongoCheckpointer({ url, database });
      opened.push(checkpointer);
      return checkpointer;
    },
    meter: relay,
    bytesKept: () => sizeOf(server),
    async stop() {
      await Promise.all(opened.map((checkpointer) => checkpointer.close()));
      await relay.stop();
      await server.stop();
    },
  };
}

/** Drivers go where the set says that its members are: it has to say that they are behind the relay. */
async function moveBehind(server: MongoServer, port: number): Promise<void> {
  const { config } = await server.command({ replSetGetConfig: 1 });
  const members = config.members.map((member: object) => ({ ...member, host: `127.0.0.1:${port}` }));
  await server.command({ replSetReconfig: { ...config, version: config.version + 1, members } });
}

/** The size of every document in BSON, indexes not counted. */
async function sizeOf(server: MongoServer): Promise<number> {
  const { cursor } = await server.command({ listCollections: 1, nameOnly: true }, database);
  const pipeline = [{ $group: { _id: null, bytes: { $sum: { $bsonSize: '$$ROOT' } } } }];
  let total = 0;
  for (const { name } of cursor.firstBatch) {
    const sums = await server.command({ aggregate: name, pipeline, cursor: {} }, database);
    total += sums.cursor.firstBatch[0]?.bytes ?? 0;
  }
  return total;
}
