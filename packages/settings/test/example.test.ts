import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadSettings } from '../src/index.ts';
import { knownTables } from '../src/known-tables.ts';
import { isTable, type Table } from '../src/table.ts';
import { parseFile } from '../src/toml.ts';
import { load } from './folder.ts';

const path = fileURLToPath(new URL('../examples/settings.toml', import.meta.url));
const guide = fileURLToPath(new URL('../../../docs/settings.md', import.meta.url));
const resolveSecret = () => 'S3CRET';
const example = (environment?: string) =>
  loadSettings({ path, env: {}, resolveSecret, ...(environment !== undefined && { environment }) });

it('the example loads in each of its environments', async () => {
  const settings = await example();
  expect(settings.persistence).toEqual({
    enabled: true,
    strategy: 'kv_store',
    connectionName: 'default_redis',
    namespace: 'agent_sessions',
    ttlSeconds: 86_400,
    pausedTtlSeconds: 2_592_000,
    onBusy: 'wait',
    onStoreDown: 'volatile',
    onVanished: 'restore',
    heartbeatSeconds: 5,
    busyWaitSeconds: 30,
  });
  expect(settings.llms.connections.openai_gpt4?.provider.api_key).toBe('S3CRET');
  expect((await example('development')).persistence?.connectionName).toBe('in_process');
  expect((await example('production')).persistence).toMatchObject({
    strategy: 'document',
    connectionName: 'default_mongo',
  });
});

/** What the example leaves out: other spellings, and what is refused where it is used. */
const notShown = [
  'ai.llms.connections.*.wrappers',
  'database.kvstore.connections',
  'database.kvstore.default_connection_name',
  'database.kvstore.*.fallback',
  'database.documents.connections',
  'database.documents.default_connection_name',
  'database.documents.*.fallback',
];

it('the example shows every key that there is', async () => {
  const { default: section } = parseFile(await readFile(path, 'utf8'), path);
  const missing = knownTables.flatMap(({ at, schema }) => {
    const shown = placesIn(section, at).flatMap((place) => Object.keys(place));
    const keys = Object.keys(schema.entries).filter((key) => !shown.includes(key));
    return keys.map((key) => [...at, key].join('.'));
  });
  expect(missing.sort()).toEqual([...notShown].sort());
});

function placesIn(section: unknown, at: readonly string[]): Table[] {
  return at.reduce(
    (places, step) => places.flatMap((place) => (step === '*' ? Object.values(place) : [place[step]])).filter(isTable),
    [section].filter(isTable),
  );
}

it('the guide explains every key that there is', async () => {
  const text = await readFile(guide, 'utf8');
  const keys = knownTables.flatMap(({ schema, notHere = {} }) => [
    ...Object.keys(schema.entries),
    ...Object.keys(notHere),
  ]);
  expect([...new Set(keys)].filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
});

it('the settings of the README load', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [, block = ''] = /```toml\n(.*?)```/s.exec(readme) ?? [];
  expect((await load(block)).persistence?.connectionName).toBe('default_redis');
});

it('the settings of the specification load as they are', async () => {
  const keyValue = `
    [default.ai.agents.persistence]
    enabled = true
    strategy = "kv_store"  # Options: "kv_store", "document"
    connection_name = "default_redis" # Must match a connection in [database] section
    namespace = "agent_sessions"
    ttl_seconds = 86400 # 24 hours

    [default.ai.agents]
    enabled = true
    default_profile = "default_assistant"
    [default.ai.agents.profiles.connections.math_agent]
    name = "math_agent"
    description = "An agent capable of performing calculations."
    system_prompt = "You are a helpful assistant. Use tools for math."
    connection_name = "openai_gpt4"      # a connection of [ai.llms]
    max_iterations = 10
    max_execution_time_seconds = 60
    tools = ["calculator_tool", "unit_converter"]   # names in the tool registry

    [default.database.kvstore.default_redis]
    enabled = true
    namespace = "cache"
    [default.database.kvstore.default_redis.provider]
    backend = "redis"
    uri = "redis://localhost:6379/0"
    [default.database.documents.default_mongo]
    enabled = true
    backend = "mongo"
    [default.database.documents.default_mongo.provider]
    url = "mongodb://user:pass@localhost:27017"
    database_name = "main_db"
  `;
  expect((await load(keyValue)).persistence).toMatchObject({ connectionName: 'default_redis', ttlSeconds: 86_400 });
  const env = {
    AGENT_STATE_DATABASE__DOCUMENTS__DEFAULT_MONGO__PROVIDER__DATABASE_NAME: 'my_production_db',
    AGENT_STATE_AI__AGENTS__PERSISTENCE:
      '{ strategy = "document", connection_name = "default_mongo", namespace = "agent_checkpoints" }',
  };
  const document = await load(keyValue, { env });
  expect(document.persistence).toMatchObject({ strategy: 'document', namespace: 'agent_checkpoints' });
  expect(document.database.documents.default_mongo?.provider.database_name).toBe('my_production_db');
});
