import type { AdapterConnection, Checkpointer, CheckpointerAdapter } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { agentFactoryOptions, createCheckpointerFromSettings } from '../src/index.ts';
import { load, refusal } from './folder.ts';

/** An adapter that says what it was asked for; no store is behind it. */
function recorder(backends: string[], strategy: 'kv_store' | 'document') {
  const connections: AdapterConnection[] = [];
  const checkpointer = { name: 'recorder' } as Checkpointer;
  const adapter: CheckpointerAdapter = {
    backends,
    strategy,
    connect(connection) {
      connections.push(connection);
      return checkpointer;
    },
  };
  return { adapter, connections, checkpointer };
}

const store = `
[default.database.kvstore.main]
namespace = "cache"
[default.database.kvstore.main.provider]
backend = "redis"
uri = "redis://localhost:6379/0"
[default.database.documents.docs]
backend = "mongo"
[default.database.documents.docs.provider]
url = "mongodb://localhost"
database_name = "d"
`;
const persistence = (rest: string) => `${store}[default.ai.agents.persistence]\n${rest}\n`;
const wrapper = (name: string, config: string, rest = '') =>
  `[[default.database.kvstore.main.wrappers]]\nname = "${name}"\n${rest}\n[default.database.kvstore.main.wrappers.config]\n${config}\n`;
const main = persistence('connection_name = "main"');

describe('the connection of persistence', () => {
  it('is handed to its adapter by name, with its provider and namespace', async () => {
    const { adapter, connections, checkpointer } = recorder(['redis'], 'kv_store');
    expect(createCheckpointerFromSettings(await load(main), { adapters: [adapter] })).toBe(checkpointer);
    const provider = { backend: 'redis', uri: 'redis://localhost:6379/0' };
    expect(connections).toEqual([{ name: 'main', namespace: 'cache:agent_checkpoints', provider }]);
  });

  it('of the strategy document is one of [database.documents], its namespace the collection', async () => {
    const { adapter, connections } = recorder(['mongo'], 'document');
    const text = persistence('strategy = "document"\nconnection_name = "docs"\nnamespace = "agents"');
    createCheckpointerFromSettings(await load(text), { adapters: [adapter] });
    expect(connections[0]).toMatchObject({ name: 'docs', namespace: 'agents', provider: { database_name: 'd' } });
  });

  it('is the default one of the database where persistence names none', async () => {
    const text = `${persistence('')}[default.database]\ndefault_kvstore_connection = "main"`;
    expect((await load(text)).persistence?.connectionName).toBe('main');
  });

  it.each([
    ['connection_name = "mian"', 'no connection of this name in [database.kvstore]; did you mean main?'],
    ['connection_name = "elsewhere"', 'no connection of this name in [database.kvstore]; it has main.'],
    ['connection_name = "docs"', 'in [database.kvstore]; [database.documents] has one: set strategy = "document".'],
    [
      'strategy = "document"\nconnection_name = "main"',
      'in [database.documents]; [database.kvstore] has one: set strategy = "kv_store".',
    ],
    ['connection_name = "default_connection_name"', 'no connection of this name'],
    ['', 'ai.agents.persistence.connection_name: missing.'],
    ['connection_name = "main"\n[default.database.kvstore.main]\nenabled = false', 'enabled = false'],
  ])('is refused where there is none: %j', async (rest, says) => {
    const text = rest.includes('enabled = false')
      ? main.replace('namespace = "cache"', 'enabled = false')
      : persistence(rest);
    expect(await refusal(load(text))).toContain(says);
  });

  it('is not looked at while persistence is off', async () => {
    const settings = await load(persistence('enabled = false\nconnection_name = "nowhere"'));
    expect(createCheckpointerFromSettings(settings, { adapters: [] })).toBeUndefined();
    expect(createCheckpointerFromSettings(await load(store), { adapters: [] })).toBeUndefined();
  });

  it('needs a backend, said once', async () => {
    expect(await refusal(load(main.replace('backend = "redis"\n', '')))).toContain(
      'database.kvstore.main.backend: missing.',
    );
    const twice = main.replace('namespace = "cache"', 'backend = "memory"');
    expect(await refusal(load(twice))).toContain('differs from provider.backend');
  });

  it('is refused with a fallback chain, and says why', async () => {
    const chain = '[default.database.kvstore.main.fallback]\nread_strategy = "first"\nconnections = ["other"]\n';
    expect(await refusal(load(main + chain))).toContain(
      'a failed read, answered by another store, would look like a new thread',
    );
    expect((await load(`${main}${chain}enabled = false`)).persistence?.enabled).toBe(true);
    expect((await load(store + chain)).database.kvstore.main?.enabled).toBe(true);
  });

  it('is refused with keys of the origin system that are not applied; other connections may have them', async () => {
    const keys = ['apply_key_resolver = true', 'key_prefix = "x"', 'connect_timeout = 1'];
    for (const key of keys) {
      const text = main.replace('namespace = "cache"', key);
      expect(await refusal(load(text))).toContain('not applied: ');
      expect((await load(text.replace('connection_name = "main"', 'enabled = false'))).persistence?.enabled).toBe(
        false,
      );
    }
  });
});

describe('the keys of a provider table', () => {
  const misspelt = main.replace('uri = ', 'url_ = ');
  const knowing = (providerKeys?: readonly string[]) => {
    const { adapter } = recorder(['redis'], 'kv_store');
    return { adapters: [providerKeys ? { ...adapter, providerKeys } : adapter] };
  };

  it('[S-CFG-06] one that the adapter does not know is refused, with the nearest that it knows', async () => {
    const settings = await load(misspelt);
    expect(() => createCheckpointerFromSettings(settings, knowing(['uri', 'url']))).toThrow(
      'database.kvstore.main.provider.url_: unknown key. Did you mean url?',
    );
  });

  it('are all left to an adapter that does not say which it knows', async () => {
    const settings = await load(misspelt);
    expect(createCheckpointerFromSettings(settings, knowing())).toMatchObject({ name: 'recorder' });
  });
});

describe('an adapter that was not handed over', () => {
  it.each([
    ['redis', '@agent-state/kv-redis'],
    ['memory', '@agent-state/kv-memory'],
    ['local', '@agent-state/kv-memory'],
  ])('[S-PKG-04] %s: says that %s is to be installed', async (backend, name) => {
    const settings = await load(main.replace('"redis"', `"${backend}"`));
    expect(() => createCheckpointerFromSettings(settings, { adapters: [] })).toThrow(`Install ${name} `);
  });

  it.each([
    ['mongo', '@agent-state/doc-mongo'],
    ['mongodb', '@agent-state/doc-mongo'],
    ['sqlite', '@agent-state/doc-sqlite'],
  ])('[S-PKG-04] %s: says that %s is to be installed', async (backend, name) => {
    const text = persistence('strategy = "document"\nconnection_name = "docs"').replace('"mongo"', `"${backend}"`);
    const settings = await load(text);
    expect(() => createCheckpointerFromSettings(settings, { adapters: [] })).toThrow(`Install ${name} `);
  });

  it('of a backend that nobody knows: says what there is; of another strategy: says which', async () => {
    const settings = await load(main.replace('"redis"', '"dynamo"'));
    expect(() => createCheckpointerFromSettings(settings, { adapters: [] })).toThrow(/no adapter for "dynamo".*sqlite/);
    const { adapter } = recorder(['dynamo'], 'document');
    expect(() => createCheckpointerFromSettings(settings, { adapters: [adapter] })).toThrow(
      /"document", not "kv_store". Set strategy = "document", and put the connection in \[database.documents\]/,
    );
  });
});

describe('wrappers', () => {
  const ttl = async (text: string) =>
    agentFactoryOptions(await load(text), { adapters: [recorder(['redis'], 'kv_store').adapter] }).ttl;
  const day = 86_400_000;
  const hour = wrapper('default_ttl', 'default_ttl_seconds = 3600');

  it('default_ttl is how long threads live, unless persistence says it', async () => {
    expect(await ttl(main)).toBeUndefined();
    expect(await ttl(main + hour)).toEqual({ ttlMs: 3_600_000, pausedTtlMs: 30 * day });
    const own = persistence('connection_name = "main"\nttl_seconds = 60\npaused_ttl_seconds = 120');
    expect(await ttl(own + hour)).toEqual({ ttlMs: 60_000, pausedTtlMs: 120_000 });
    const never = persistence('connection_name = "main"\nttl_seconds = "never"');
    expect(await ttl(never + hour)).toEqual({ ttlMs: null, pausedTtlMs: null });
  });

  it('a paused thread lives 30 days, never shorter than the others', async () => {
    expect(await ttl(persistence('connection_name = "main"\nttl_seconds = 8640000'))).toEqual({
      ttlMs: 100 * day,
      pausedTtlMs: 100 * day,
    });
    const forEver = persistence('connection_name = "main"\nttl_seconds = 60\npaused_ttl_seconds = "never"');
    expect(await ttl(forEver)).toEqual({ ttlMs: 60_000, pausedTtlMs: null });
    for (const rest of [
      'ttl_seconds = 60\npaused_ttl_seconds = 59',
      'paused_ttl_seconds = 60',
      'ttl_seconds = "never"\npaused_ttl_seconds = 60',
    ]) {
      expect(await refusal(load(persistence(`connection_name = "main"\n${rest}`)))).toContain(
        'a pause must not shorten',
      );
    }
    const short = persistence('connection_name = "main"\npaused_ttl_seconds = 60');
    expect(await refusal(load(short + hour))).toContain('a pause must not shorten');
    expect(await ttl(short + wrapper('default_ttl', 'default_ttl_seconds = 60'))).toEqual({
      ttlMs: 60_000,
      pausedTtlMs: 60_000,
    });
  });

  it('key_resolver puts its prefix and the tenant into the namespace', async () => {
    const { adapter, connections } = recorder(['redis'], 'kv_store');
    const settings = await load(main + wrapper('key_resolver', 'static_prefix = "shop"\ntenant = "t1"'));
    createCheckpointerFromSettings(settings, { adapters: [adapter] });
    createCheckpointerFromSettings(settings, { adapters: [adapter], tenant: 't2' });
    expect(connections.map(({ namespace }) => namespace)).toEqual([
      'shop:t1:cache:agent_checkpoints',
      'shop:t2:cache:agent_checkpoints',
    ]);
    expect(() => createCheckpointerFromSettings(settings, { adapters: [adapter], tenant: '' })).toThrow(/tenant/);
    const required = await load(main + wrapper('key_resolver', 'static_prefix = "shop"\ntenant_required = true'));
    expect(() => createCheckpointerFromSettings(required, { adapters: [adapter] })).toThrow(/tenant_required/);
    createCheckpointerFromSettings(required, { adapters: [adapter], tenant: 't3' });
    expect(connections.at(-1)?.namespace).toBe('shop:t3:cache:agent_checkpoints');
  });

  it('one that is not enabled does nothing', async () => {
    const text =
      main +
      wrapper('default_ttl', 'default_ttl_seconds = 3600', 'enabled = false') +
      wrapper('unheard_of', '', 'enabled = false');
    expect(await ttl(text)).toBeUndefined();
  });

  it.each([
    [wrapper('default_tll', ''), 'wrappers[0].name: unknown wrapper; did you mean default_ttl?'],
    [wrapper('compress', ''), 'wrappers[0].name: unknown wrapper; known are default_ttl and key_resolver.'],
    [wrapper('default_ttl', ''), 'wrappers[0].config.default_ttl_seconds: missing.'],
    [
      wrapper('default_ttl', 'default_ttl_seconds = 0'),
      'wrappers[0].config.default_ttl_seconds: expected a whole number',
    ],
    [wrapper('default_ttl', 'default_ttl_second = 60'), 'unknown key; did you mean default_ttl_seconds?'],
    [wrapper('key_resolver', 'tenant = ""'), 'wrappers[0].config.tenant: expected a string that is not empty'],
    [wrapper('key_resolver', '') + wrapper('key_resolver', ''), 'wrappers[1].name: there twice'],
    [wrapper('key_resolver', '', 'enable = true'), 'wrappers[0].enable: unknown key; did you mean enabled?'],
    ['[[default.database.kvstore.main.wrappers]]\nenabled = true', 'wrappers[0].name: missing.'],
  ])('one that is enabled but cannot be applied is refused: %j', async (text, says) => {
    expect(await refusal(load(main + text))).toContain(says);
    expect((await load(store + text)).database.kvstore.main?.enabled).toBe(true);
  });
});
