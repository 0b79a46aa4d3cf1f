import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkpointer } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import { isMissing, startMongo, startRedis } from '@agent-state/services';
import Database from 'libsql';

/** A store on a server of its own that can be put out of order and mended. */
export interface FragileStore {
  /** A checkpointer with a client of its own. */
  readonly open: () => Checkpointer;
  readonly breakIt: () => Promise<unknown>;
  readonly mend: () => Promise<unknown>;
  readonly stop: () => Promise<unknown>;
}

/** `reads: true`: while it is broken, reads still work, so a thread can be loaded. */
export interface Outage {
  readonly name: string;
  readonly reads?: true;
  readonly start: () => Promise<FragileStore | undefined>;
}

async function fragileRedis(
  outage: (server: RedisServer) => Pick<FragileStore, 'breakIt' | 'mend'>,
  ...args: string[]
): Promise<FragileStore | undefined> {
  const server = await startRedis({ args });
  if (isMissing(server)) return undefined;
  const open = () => createRedisCheckpointer({ url: server.url, connectTimeoutMs: 800, commandTimeoutMs: 800 });
  return { open, stop: () => server.stop(), ...outage(server) };
}
type RedisServer = Exclude<Awaited<ReturnType<typeof startRedis>>, { missing: unknown }>;

async function fragileMongo(
  outage: (server: MongoServer) => Pick<FragileStore, 'breakIt' | 'mend'>,
): Promise<FragileStore | undefined> {
  const server = await startMongo();
  if (isMissing(server)) return undefined;
  const timeouts = { serverSelectionTimeoutMS: 800, connectTimeoutMS: 800, socketTimeoutMS: 800 };
  const open = () => createMongoCheckpointer({ url: server.url, ...timeouts });
  return { open, stop: () => server.stop(), ...outage(server) };
}
type MongoServer = Exclude<Awaited<ReturnType<typeof startMongo>>, { missing: unknown }>;

async function lockedSqlite(): Promise<FragileStore> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-outage-'));
  const path = join(folder, 'threads.sqlite');
  const open = () => createSqliteCheckpointer({ path, busyTimeoutMs: 300 });
  const first = open();
  await first.load('set up');
  await first.close();
  const lock = new Database(path);
  return {
    open,
    breakIt: async () => lock.exec('begin immediate'),
    mend: async () => lock.exec('rollback'),
    async stop() {
      lock.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const killed = (server: { kill(): Promise<unknown>; start(): Promise<unknown> }) => ({
  breakIt: () => server.kill(),
  mend: () => server.start(),
});
const frozen = (server: { freeze(): void; thaw(): void }) => ({
  breakIt: async () => server.freeze(),
  mend: async () => server.thaw(),
});

export const outages: readonly Outage[] = [
  {
    name: 'Redis is killed (B2)',
    start: () => fragileRedis(killed, '--appendonly', 'yes', '--appendfsync', 'always'),
  },
  { name: 'Redis is killed and comes back empty (B3)', start: () => fragileRedis(killed) },
  { name: 'Redis is frozen (B14)', start: () => fragileRedis(frozen) },
  {
    name: 'Redis is a read-only replica (B6)',
    reads: true,
    start: () =>
      fragileRedis((server) => ({
        breakIt: () => server.command('REPLICAOF', '127.0.0.1', '1'),
        mend: () => server.command('REPLICAOF', 'NO', 'ONE'),
      })),
  },
  {
    name: 'Redis is out of memory (B9)',
    reads: true,
    start: () =>
      fragileRedis((server) => ({
        breakIt: () => server.command('CONFIG', 'SET', 'maxmemory', '1'),
        mend: () => server.command('CONFIG', 'SET', 'maxmemory', '0'),
      })),
  },
  { name: 'MongoDB is killed [C1]', start: () => fragileMongo(killed) },
  { name: 'MongoDB is frozen', start: () => fragileMongo(frozen) },
  {
    name: 'MongoDB has no primary that takes writes',
    reads: true,
    start: () =>
      fragileMongo((server) => ({
        breakIt: () => server.failCommand({ failCommands: ['update', 'insert'], errorCode: 10107 }, 'alwaysOn'),
        mend: () => server.failPoint('failCommand', 'off', {}),
      })),
  },
  { name: 'the write lock of the SQLite file is held (G1)', reads: true, start: lockedSqlite },
];
