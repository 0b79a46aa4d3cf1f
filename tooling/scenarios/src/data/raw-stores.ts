import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyPart } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { createKvCheckpointer } from '@agent-state/kv';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import { isMissing, startMongo, startRedis } from '@agent-state/services';
import { Keyv } from 'keyv';
import Database from 'libsql';
import type { RawStore } from './raw-store.ts';
import { rowsOf } from './rows.ts';

async function rawKv(): Promise<RawStore> {
  const keyv = new Keyv(new Map(), { throwOnErrors: true });
  const keyOf = (threadId: string) => `agent_checkpoints:${keyPart(threadId)}`;
  return {
    open: () => createKvCheckpointer({ keyv, namespace: 'agent_checkpoints' }),
    read: async (threadId) => ({ record: (await keyv.get<string>(keyOf(threadId))) ?? '' }),
    write: (threadId, { record }) => keyv.set(keyOf(threadId), record),
    stop: async () => {},
  };
}

async function rawRedis(): Promise<RawStore | undefined> {
  const server = await startRedis();
  if (isMissing(server)) return undefined;
  const keyOf = (threadId: string) => `agent_checkpoints:{${keyPart(threadId)}}`;
  return {
    open: () => createRedisCheckpointer({ url: server.url, namespace: 'agent_checkpoints' }),
    async read(threadId) {
      const flat = (await server.command('HGETALL', keyOf(threadId))) as string[];
      return Object.fromEntries(flat.flatMap((name, at) => (at % 2 ? [] : [[name, flat[at + 1] as string]])));
    },
    async write(threadId, parts) {
      await server.command('DEL', keyOf(threadId));
      await server.command('HSET', keyOf(threadId), ...Object.entries(parts).flat());
    },
    stop: () => server.stop(),
  };
}

async function rawSqlite(): Promise<RawStore> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-raw-'));
  const path = join(folder, 'threads.sqlite');
  const open = () => createSqliteCheckpointer({ path, namespace: 'agent_checkpoints' });
  const first = open();
  await first.load('so that there are tables');
  await first.close();
  const database = new Database(path);
  return {
    open,
    ...rowsOf(database),
    async stop() {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function rawMongo(): Promise<RawStore | undefined> {
  const server = await startMongo();
  if (isMissing(server)) return undefined;
  const [database, collection] = ['agent_state', 'agent_state'];
  const first = createMongoCheckpointer({ url: server.url, database, namespace: collection });
  await first.load('so that there are indexes');
  await first.close();
  return {
    open: () => createMongoCheckpointer({ url: server.url, database, namespace: collection }),
    async read(threadId) {
      const { cursor } = await server.command({ find: collection, filter: { _id: threadId } }, database);
      return { document: JSON.stringify(cursor.firstBatch[0], withDates) };
    },
    write(threadId, { document = '' }) {
      const u = JSON.parse(document, reviveDates) as object;
      return server.command({ update: collection, updates: [{ q: { _id: threadId }, u, upsert: true }] }, database);
    },
    stop: () => server.stop(),
  };
}

function withDates(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const own = this[key];
  return own instanceof Date ? { $date: own.toISOString() } : value;
}

function reviveDates(_key: string, value: unknown): unknown {
  const date = (value as { $date?: unknown } | null)?.$date;
  return typeof date === 'string' ? new Date(date) : value;
}

/** Each starts what it needs; undefined where its server is missing. */
export const rawStores: Readonly<Record<string, () => Promise<RawStore | undefined>>> = {
  kv: rawKv,
  sqlite: rawSqlite,
  redis: rawRedis,
  mongo: rawMongo,
};
