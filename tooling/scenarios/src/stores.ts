import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkpointer } from '@agent-state/core';
import { createMongoCheckpointer } from '@agent-state/doc-mongo';
import { createSqliteCheckpointer } from '@agent-state/doc-sqlite';
import { createKvCheckpointer } from '@agent-state/kv';
import { createMemoryCheckpointer, createMemoryData } from '@agent-state/kv-memory';
import { createRedisCheckpointer } from '@agent-state/kv-redis';
import type {} from '@agent-state/services/vitest';
import { Keyv } from 'keyv';
import { afterAll, inject, onTestFinished } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'agent-state-stores-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const data = createMemoryData();
const map = new Map<string, unknown>();
const redisUrl = inject('redisUrl');
const mongoUrl = inject('mongoUrl');

/**
 * Every store that is here, on the shared servers: thread ids have to be the test's own. Each call opens a client of
 * its own on the same threads.
 */
export const stores: readonly (readonly [name: string, open: () => Checkpointer])[] = [
  ['memory', () => createMemoryCheckpointer({ data })],
  ['kv', () => createKvCheckpointer({ keyv: new Keyv(map, { throwOnErrors: true }) })],
  ['sqlite', () => createSqliteCheckpointer({ path: join(folder, 'threads.sqlite') })],
  ...(redisUrl === undefined ? [] : [['redis', () => createRedisCheckpointer({ url: redisUrl })] as const]),
  ...(mongoUrl === undefined ? [] : [['mongo', () => createMongoCheckpointer({ url: mongoUrl })] as const]),
];

/** Those that keep two writers apart. */
export const conditionalStores = stores.filter(([name]) => name !== 'kv');

/** How many servers are missing, and with them stores. */
export const missingStores: number = [redisUrl, mongoUrl].filter((url) => url === undefined).length;

/** Opens a checkpointer that is closed when the test is over. */
export function opened(open: () => Checkpointer): Checkpointer {
  const checkpointer = open();
  onTestFinished(() => checkpointer.close());
  return checkpointer;
}
