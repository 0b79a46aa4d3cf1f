import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  agentFactoryOptions,
  createCheckpointerFromSettings,
  type LoadOptions,
  loadSettings,
  printSettings,
} from '../src/index.ts';
import { folder, load, refusal } from './folder.ts';

const redis = `
[default.ai.agents.persistence]
connection_name = "main"
[default.database.kvstore.main]
namespace = "a"
[default.database.kvstore.main.provider]
backend = "redis"
uri = "a"
host = "h"
port = 1
key_prefix = "p"
`;

const withVariables = (env: LoadOptions['env']) => load(redis, { env: env ?? {} });

describe('an environment variable overrides the nested key that it names', () => {
  it('[S-CFG-01] the value in the file gives way, and nothing else changes', async () => {
    const settings = await withVariables({ AGENT_STATE_DATABASE__KVSTORE__MAIN__PROVIDER__URI: 'b' });
    const provider = { backend: 'redis', uri: 'b', host: 'h', port: 1, key_prefix: 'p' };
    expect({ ...settings.database.kvstore.main?.provider }).toEqual(provider);
    expect(Object.keys(settings.database.kvstore)).toEqual(['main']);
  });

  it('[S-CFG-01] keys that hold an underscore are one key', async () => {
    const settings = await withVariables({
      AGENT_STATE_DATABASE__KVSTORE__MAIN__PROVIDER__KEY_PREFIX: 'q',
      AGENT_STATE_AI__AGENTS__PERSISTENCE__TTL_SECONDS: '60',
    });
    expect(settings.database.kvstore.main?.provider.key_prefix).toBe('q');
    expect(settings.persistence?.ttlSeconds).toBe(60);
  });

  it('[S-CFG-01] a single underscore between keys is refused, not ignored', async () => {
    const message = await refusal(withVariables({ AGENT_STATE_DATABASE_KVSTORE__MAIN__PROVIDER__URI: 'b' }));
    expect(message).toMatch(/AGENT_STATE_DATABASE_KVSTORE__MAIN__PROVIDER__URI.*two underscores/);
  });
});

describe('values from the environment have the type of their key', () => {
  const ttl = 'AGENT_STATE_AI__AGENTS__PERSISTENCE__TTL_SECONDS';
  const enabled = 'AGENT_STATE_AI__AGENTS__ENABLED';

  it.each([
    ['3600', 3600],
    ['1e3', 1000],
    [' 5 ', 5],
  ])('[S-CFG-02] a number: %j is %j', async (text, value) => {
    expect((await withVariables({ [ttl]: text })).persistence?.ttlSeconds).toBe(value);
  });

  it.each(['-1', '0', '', 'nan', 'inf', '1.5', 'soon', 'true', '99999999999999999999', '1\nx = 2'])(
    '[S-CFG-02] no number of seconds: %j is refused with the name of the variable',
    async (text) => {
      expect(await refusal(withVariables({ [ttl]: text }))).toMatch(
        new RegExp(
          `^Environment variable ${ttl}: ai.agents.persistence.ttl_seconds: expected a whole number of seconds`,
        ),
      );
    },
  );

  it.each([
    ['true', true],
    ['false', false],
    [' false ', false],
  ])('[S-CFG-02] a boolean: %j is %j', async (text, value) => {
    expect((await withVariables({ [enabled]: text })).agents.enabled).toBe(value);
  });

  it.each(['0', '1', 'no', 'FALSE', 'True', ''])('[S-CFG-02] no boolean: %j is refused', async (text) => {
    expect(await refusal(withVariables({ [enabled]: text }))).toContain(
      `Environment variable ${enabled}: ai.agents.enabled: expected true or false`,
    );
  });

  it('[S-CFG-02] text that looks like a number stays text where text is expected', async () => {
    const settings = await withVariables({
      AGENT_STATE_DATABASE__KVSTORE__MAIN__NAMESPACE: '0123',
      AGENT_STATE_DATABASE__KVSTORE__MAIN__PROVIDER__PASSWORD: '12345',
      AGENT_STATE_DATABASE__KVSTORE__MAIN__PROVIDER__HOST: 'true',
      AGENT_STATE_DATABASE__KVSTORE__MAIN__PROVIDER__PORT: '6379',
    });
    expect(settings.database.kvstore.main?.namespace).toBe('0123');
    expect(settings.database.kvstore.main?.provider).toMatchObject({ password: '12345', host: 'true', port: 6379 });
  });
});

describe('a named settings file that cannot be used is an error', () => {
  it('[S-CFG-03] missing', async () => {
    const path = join(await folder(), 'nowhere.toml');
    expect(await refusal(loadSettings({ path, env: {} }))).toBe(`Settings file ${path}: there is none.`);
  });

  it('[S-CFG-03] a directory', async () => {
    const path = await folder();
    expect(await refusal(loadSettings({ path, env: {} }))).toContain(`${path}: it is a directory`);
  });

  it('[S-CFG-03] unreadable', async () => {
    const path = join(await folder(), 'settings.toml');
    // A link to itself: not even root can read it.
    await symlink(path, path);
    expect(await refusal(loadSettings({ path, env: {} }))).toContain(`${path}: it cannot be read (ELOOP)`);
  });

  it('[S-CFG-03] below a file, which is no folder', async () => {
    const path = join(await folder({ file: '' }), 'file', 'settings.toml');
    expect(await refusal(loadSettings({ path, env: {} }))).toContain(`${path}: it cannot be read (ENOTDIR)`);
  });

  it('[S-CFG-03] a syntax error, with its line and without the text around it', async () => {
    const message = await refusal(load('[default.ai]\npassword = "S3CRET"\nbroken = "S3CRET\n'));
    expect(message).toMatch(/settings\.toml, line 3, column \d+: not valid TOML: /);
    expect(message).not.toContain('S3CRET');
  });

  it('[S-CFG-03] not UTF-8', async () => {
    const path = join(await folder({ 'settings.toml': new Uint8Array([0x61, 0xff]) }), 'settings.toml');
    expect(await refusal(loadSettings({ path, env: {} }))).toContain(`${path}: it is not UTF-8.`);
  });

  it('[S-CFG-03] without a path and without a settings.toml: defaults', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue(await folder());
    const settings = await loadSettings({ env: {} });
    vi.restoreAllMocks();
    expect(settings).toEqual({
      sources: [],
      agents: { enabled: true, profiles: {} },
      llms: { connections: {} },
      database: { kvstore: {}, documents: {} },
    });
  });

  it('[S-CFG-03] without a path the settings.toml of the working directory counts', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue(await folder({ 'settings.toml': redis }));
    const settings = await loadSettings({ env: {} });
    vi.restoreAllMocks();
    expect(settings.persistence?.connectionName).toBe('main');
  });
});

describe('a later layer leaves alone what it does not set', () => {
  it('[S-CFG-04] in the section of the environment', async () => {
    const text = `${redis}\n[production.database.kvstore.main.provider]\npassword = "x"`;
    const settings = await load(text, { environment: 'production' });
    expect(settings.database.kvstore.main?.provider).toMatchObject({ host: 'h', port: 1, password: 'x' });
  });

  it('[S-CFG-04] in ENVIRONMENT.toml', async () => {
    const files = { 'settings.toml': redis, 'production.toml': '[database.kvstore.main.provider]\npassword = "x"' };
    const path = join(await folder(files), 'settings.toml');
    const settings = await loadSettings({ path, env: { AGENT_STATE_ENV: 'production' } });
    expect(settings.database.kvstore.main?.provider).toMatchObject({ host: 'h', port: 1, password: 'x' });
  });

  it('[S-CFG-04] in a variable, a whole table of them', async () => {
    const settings = await withVariables({ AGENT_STATE_DATABASE__KVSTORE__MAIN__PROVIDER: '{ password = "x" }' });
    expect(settings.database.kvstore.main?.provider).toMatchObject({ host: 'h', port: 1, password: 'x' });
  });
});

describe('an empty value is a value, in every layer', () => {
  const uri = 'AGENT_STATE_DATABASE__KVSTORE__MAIN__PROVIDER__URI';

  it('[S-CFG-05] an empty variable wins over the file', async () => {
    expect((await withVariables({ [uri]: '' })).database.kvstore.main?.provider.uri).toBe('');
  });

  it('[S-CFG-05] a set variable wins over an empty value in the file', async () => {
    const text = redis.replace('uri = "a"', 'uri = ""');
    expect((await load(text)).database.kvstore.main?.provider.uri).toBe('');
    expect((await load(text, { env: { [uri]: 'b' } })).database.kvstore.main?.provider.uri).toBe('b');
  });

  it('[S-CFG-05] where empty means nothing it is refused, not passed over', async () => {
    expect(await refusal(withVariables({ AGENT_STATE_AI__AGENTS__PERSISTENCE__NAMESPACE: '' }))).toContain(
      'ai.agents.persistence.namespace: expected a string that is not empty, got an empty string',
    );
    expect(await refusal(withVariables({ AGENT_STATE_ENV: '' }))).toContain('Environment variable AGENT_STATE_ENV');
  });

  it('[S-CFG-05] a variable that is not set says nothing', async () => {
    expect((await withVariables({ [uri]: undefined })).database.kvstore.main?.provider.uri).toBe('a');
  });
});

describe('a misspelt or misplaced key is refused with the nearest known one', () => {
  it.each([
    [
      '[default.ai.agents.persistence]\ntlt_seconds = 60',
      'persistence.tlt_seconds: unknown key; did you mean ttl_seconds?',
    ],
    ['[default.ai.agents.persistance]', 'ai.agents.persistance: unknown key; did you mean persistence?'],
    ['[default.ai.agent]', 'ai.agent: unknown key; did you mean agents?'],
    ['[default.databse.kvstore]', 'databse: unknown key; did you mean database?'],
    ['[default.database.kvstores.a]', 'database.kvstores: unknown key; did you mean kvstore?'],
    ['[defualt.ai.agents]', 'unknown section [defualt]; did you mean [default]?'],
    [
      '[default.database.kvstore.a]\nttl_seconds = 1',
      'ttl_seconds: unknown key; it belongs in [ai.agents.persistence].',
    ],
    ['[default.database.kvstore]\nttl_seconds = 1', 'it belongs in [ai.agents.persistence].'],
    ['[default.database.kvstore]\ndefault_conection_name = "a"', 'did you mean default_connection_name?'],
    [
      '[default.ai.agents.profiles.connections.a]\ntool = ["x"]',
      'connections.a.tool: unknown key; did you mean tools?',
    ],
    ['[default.ai.agents.profiles.a]', 'ai.agents.profiles.a: unknown key.'],
    ['[default.ai.llms.connections.a]\ntimeout_seconds = 1', 'timeout_seconds: unknown key; did you mean timeout?'],
    ['[default.database.documents.a]\nnamspace = "x"', 'database.documents.a.namspace: unknown key.'],
    ['[default.ai.agents.persistence]\nstrategy = "kvstore"', 'did you mean "kv_store"?'],
  ])('[S-CFG-06] %j', async (text, says) => {
    expect(await refusal(load(text))).toContain(says);
  });

  it('[S-CFG-06] in a variable, which is named', async () => {
    const name = 'AGENT_STATE_AI__AGENTS__PERSISTENCE__TLT_SECONDS';
    const path = 'ai.agents.persistence.tlt_seconds';
    expect(await refusal(withVariables({ [name]: '60' }))).toBe(
      `Environment variable ${name}: ${path}: unknown key; did you mean ttl_seconds?`,
    );
    expect(await refusal(withVariables({ AGENT_STATE_DATABSE__KVSTORE: '{}' }))).toContain('did you mean DATABASE__');
  });

  it('[S-CFG-06] says all of them at once, each with its place', async () => {
    const text = '[default.ai.agents]\nenbled = true\nenabled = "no"\n[default.ai.agents.persistence]\nttl = 1';
    const message = await refusal(load(text));
    expect(
      message
        .split('\n- ')
        .slice(1)
        .map((line) => line.replace(/^.*\[default\]: /, '')),
    ).toEqual([
      'ai.agents.enabled: expected true or false, got another string.',
      'ai.agents.enbled: unknown key; did you mean enabled?',
      'ai.agents.persistence.ttl: unknown key; did you mean ttl_seconds?',
    ]);
  });

  it('[S-CFG-06] in the options of a function', async () => {
    const misspelt = { pth: 'settings.toml', env: {} };
    expect(await refusal(loadSettings(misspelt))).toBe('The option pth: there is none; did you mean path?');
    const settings = await load(redis);
    const tenantless = { adapters: [], tennant: 'a' };
    expect(() => createCheckpointerFromSettings(settings, tenantless)).toThrow(/tennant.*did you mean tenant\?/);
    expect(() => agentFactoryOptions(settings, tenantless)).toThrow(/tennant.*did you mean tenant\?/);
  });

  it('[S-CFG-06] leaves the other tables of an application alone', async () => {
    const text =
      '[default.app]\nname = 1\n[default.api.ai]\nx = 1\n[default.ai.rag]\nk = 1\n[default.database.vector]\nk = 1';
    expect((await load(text)).agents.enabled).toBe(true);
  });
});

describe('the case of a variable makes no second key', () => {
  it.each([
    'DATABASE__KVSTORE__MAIN__PROVIDER__URI',
    'database__kvstore__main__provider__uri',
    'Database__KVStore__Main__provider__Uri',
  ])('[S-CFG-07] %s', async (name) => {
    const settings = await withVariables({ [`AGENT_STATE_${name}`]: 'b' });
    expect(JSON.parse(printSettings(settings)).database.kvstore).toEqual({
      main: expect.objectContaining({
        provider: { backend: 'redis', uri: 'b', host: 'h', port: 1, key_prefix: '***' },
      }),
    });
  });

  it('[S-CFG-07] keys with capitals in the file are met as well', async () => {
    const text = '[default.ai.agents.profiles.connections.MathAgent]\nmax_iterations = 3';
    const env = { AGENT_STATE_AI__AGENTS__PROFILES__CONNECTIONS__MATHAGENT__MAX_ITERATIONS: '4' };
    expect((await load(text, { env })).agents.profiles).toEqual({ MathAgent: { name: 'MathAgent', maxIterations: 4 } });
  });

  it('[S-CFG-07] two spellings with two values are refused', async () => {
    const env = { AGENT_STATE_AI__AGENTS__ENABLED: 'true', agent_state_ai__agents__enabled: 'false' };
    expect(await refusal(withVariables(env))).toMatch(
      /agent_state_ai__agents__enabled: AGENT_STATE_AI__AGENTS__ENABLED/,
    );
  });
});

describe('a list replaces the list beneath it', () => {
  const text = '[default.ai.agents.profiles.connections.a]\ntools = ["one", "two"]\n';
  const tools = async (loading: ReturnType<typeof load>) => (await loading).agents.profiles.a?.tools;

  it('[S-CFG-08] in a section', async () => {
    const production = '[production.ai.agents.profiles.connections.a]\ntools = ["three"]';
    expect(await tools(load(text + production, { environment: 'production' }))).toEqual(['three']);
  });

  it('[S-CFG-08] in a variable, down to the empty list', async () => {
    const env = (value: string) => ({ AGENT_STATE_AI__AGENTS__PROFILES__CONNECTIONS__A__TOOLS: value });
    expect(await tools(load(text, { env: env('["three"]') }))).toEqual(['three']);
    expect(await tools(load(text, { env: env('[]') }))).toEqual([]);
  });
});
