import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Checkpointer, createScriptedModel, type ScriptedTurn } from '@agent-state/core';
import { createMongoCheckpointer, mongoAdapter } from '@agent-state/doc-mongo';
import { createSqliteCheckpointer, sqliteAdapter } from '@agent-state/doc-sqlite';
import { memoryAdapter } from '@agent-state/kv-memory';
import { createRedisCheckpointer, redisAdapter } from '@agent-state/kv-redis';
import type {} from '@agent-state/services/vitest';
import { agentFactoryOptions, loadSettings } from '@agent-state/settings';
import { afterAll, inject } from 'vitest';
import { startProcess } from '../agent.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-state-configured-'));
const opened: Checkpointer[] = [];
afterAll(async () => {
  await Promise.all(opened.map((checkpointer) => checkpointer.close()));
  rmSync(folder, { recursive: true, force: true });
});

const sqlitePath = join(folder, 'threads.sqlite');
const redisUrl = inject('redisUrl');
const mongoUrl = inject('mongoUrl');

/** The settings of every store that a settings file can name, as far as its server is here. */
export const settingsFiles: readonly (readonly [name: string, text: string])[] = [
  ['memory', settingsFor('kv_store', 'memory')],
  ['sqlite', settingsFor('document', 'sqlite', `path = ${JSON.stringify(sqlitePath)}`)],
  ...(redisUrl === undefined ? [] : [['redis', settingsFor('kv_store', 'redis', `uri = "${redisUrl}"`)] as const]),
  ...(mongoUrl === undefined ? [] : [['mongo', settingsFor('document', 'mongo', `url = "${mongoUrl}"`)] as const]),
];

/** The same stores, opened by code that says no more than where they are. */
export const openedByCode: Readonly<Record<string, () => Checkpointer>> = {
  sqlite: () => createSqliteCheckpointer({ path: sqlitePath }),
  redis: () => createRedisCheckpointer({ url: String(redisUrl) }),
  mongo: () => createMongoCheckpointer({ url: String(mongoUrl) }),
};

function settingsFor(strategy: 'kv_store' | 'document', backend: string, provider = ''): string {
  return `
[default.database.${strategy === 'document' ? 'documents' : 'kvstore'}.main.provider]
backend = "${backend}"
${provider}
[default.ai.agents.profiles.connections.bot]
connection_name = "scripted"
[default.ai.agents.persistence]
strategy = "${strategy}"
connection_name = "main"
`;
}

/** A process that was started with a settings file: `persistence` is the rest of its last table. */
export async function startConfigured(text: string, turns: readonly ScriptedTurn[], persistence = '') {
  const path = join(mkdtempSync(join(folder, 'process-')), 'settings.toml');
  writeFileSync(path, text + persistence);
  const { checkpointer, ttl } = agentFactoryOptions(await loadSettings({ path, env: {} }), {
    adapters: [memoryAdapter, sqliteAdapter, redisAdapter, mongoAdapter],
    models: { scripted: createScriptedModel(turns) },
  });
  if (!checkpointer) throw new Error('The settings name no store.');
  opened.push(checkpointer);
  return { ...startProcess(checkpointer, turns, [], { ttl }), checkpointer };
}
