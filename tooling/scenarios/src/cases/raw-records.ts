import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkpointer } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { createKvCheckpointer } from '@agent-state/kv';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import type {} from '@agent-state/services/vitest';
import { Redis } from 'ioredis';
import { Keyv } from 'keyv';
import Database from 'libsql';
import { MongoClient } from 'mongodb';
import { afterAll, inject } from 'vitest';

/** A part of a thread as it lies in a store, beside the schema that it was written in. */
export interface RawPart {
  readonly schema?: number | undefined;
  readonly value?: unknown;
}

/** All but the history and the variables; the variables; the first message. */
export type PartName = 'head' | 'variables' | 'message';

type Change = (part: RawPart) => RawPart;

/** A store whose records can be read and changed behind the library's back. */
export interface RawStore {
  readonly name: string;
  readonly open: () => Checkpointer;
  readonly edit: (threadId: string, part: PartName, change: Change) => Promise<void>;
  /** What is stored of the thread, as text. */
  readonly raw: (threadId: string) => Promise<string>;
}

type Fields = Record<string, unknown>;

/** Text with the number of its schema in front. */
function changedText(text: string, change: Change): string {
  const start = text.indexOf('{');
  const { schema, value } = change({ schema: Number(text.slice(0, start)), value: JSON.parse(text.slice(start)) });
  return `${schema ?? ''}${value === undefined ? '' : JSON.stringify(value)}`;
}

function kv(): RawStore {
  const map = new Map<string, string>();
  const keyOf = (threadId: string) => `keyv:agent_checkpoints:${threadId}`;
  return {
    name: 'kv',
    open: () => createKvCheckpointer({ keyv: new Keyv(map, { throwOnErrors: true }) }),
    async edit(threadId, part, change) {
      const entry = JSON.parse(map.get(keyOf(threadId)) ?? '') as { value: string };
      const record = JSON.parse(entry.value) as Fields & { schema: number; history: unknown[] };
      if (part === 'variables') record.variables = change(record.variables as RawPart);
      else {
        const value = part === 'head' ? record.head : record.history[0];
        const changed = change({ schema: record.schema, value });
        Object.assign(record, { schema: changed.schema });
        if (part === 'head') record.head = changed.value;
        else record.history[0] = changed.value;
      }
      map.set(keyOf(threadId), JSON.stringify({ ...entry, value: JSON.stringify(record) }));
    },
    raw: async (threadId) => map.get(keyOf(threadId)) ?? '',
  };
}

function sqlite(): RawStore {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-raw-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'threads.sqlite');
  const withFile = <T>(use: (database: Database.Database) => T): T => {
    const database = new Database(path);
    try {
      return use(database);
    } finally {
      database.close();
    }
  };
  return {
    name: 'sqlite',
    open: () => createSqliteCheckpointer({ path }),
    async edit(threadId, part, change) {
      const [table, column, where] =
        part === 'message' ? ['messages', 'text', 'idx = 0 and thread_id'] : ['heads', part, 'thread_id'];
      const from = `agent_checkpoints_${table}`;
      withFile((database) => {
        const row = database.prepare(`select ${column} as text from ${from} where ${where} = ?`).get(threadId);
        const text = changedText((row as { text: string }).text, change);
        database.prepare(`update ${from} set ${column} = ? where ${where} = ?`).run(text, threadId);
      });
    },
    raw: async (threadId) =>
      withFile((database) => {
        const rows = (table: string) =>
          database.prepare(`select * from agent_checkpoints_${table} where thread_id = ?`).all(threadId);
        return JSON.stringify(['heads', 'messages', 'steps'].map(rows));
      }),
  };
}

function redis(url: string): RawStore {
  const client = new Redis(url);
  afterAll(() => client.disconnect());
  const keyOf = (threadId: string) => `agent_checkpoints:{${threadId}}`;
  return {
    name: 'redis',
    open: () => createRedisCheckpointer({ url }),
    async edit(threadId, part, change) {
      const field = part === 'message' ? 'm:0:0' : part;
      const text = (await client.hget(keyOf(threadId), field)) ?? '';
      await client.hset(keyOf(threadId), field, changedText(text, change));
    },
    raw: async (threadId) => JSON.stringify(await client.hgetall(keyOf(threadId))),
  };
}

function mongo(url: string): RawStore {
  const client = new MongoClient(url);
  afterAll(() => client.close());
  const database = 'agent_state_raw_records';
  const threads = client.db(database).collection<Fields & { _id: string }>('agent_checkpoints');
  return {
    name: 'mongo',
    open: () => createMongoCheckpointer({ url, database }),
    async edit(threadId, part, change) {
      const document = await threads.findOne({ _id: threadId });
      if (!document) throw new Error(`There is no thread ${threadId}.`);
      const { history, schema } = document as unknown as {
        history: RawPart[];
        schema: Record<string, number | undefined>;
      };
      if (part === 'message') history[0] = change(history[0] as RawPart);
      else {
        const { agent_profile, current_step, updated_at } = document;
        const value = part === 'head' ? { agent_profile, current_step, updated_at } : document.variables;
        const changed = change({ schema: schema[part], value });
        schema[part] = changed.schema;
        Object.assign(document, part === 'head' ? changed.value : { variables: changed.value });
      }
      await threads.replaceOne({ _id: threadId }, document, { ignoreUndefined: true });
    },
    raw: async (threadId) => JSON.stringify(await threads.findOne({ _id: threadId })),
  };
}

const redisUrl = inject('redisUrl');
const mongoUrl = inject('mongoUrl');

/** Every store with records: in memory there are none, only values. */
export const rawStores: readonly RawStore[] = [
  kv(),
  sqlite(),
  ...(redisUrl === undefined ? [] : [redis(redisUrl)]),
  ...(mongoUrl === undefined ? [] : [mongo(mongoUrl)]),
];
