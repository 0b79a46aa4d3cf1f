import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type LoadOptions, loadSettings } from '../src/index.ts';
import { folder, load, refusal } from './folder.ts';

const section = (environment: string, ttl: number) =>
  `[${environment}.ai.agents.persistence]\nttl_seconds = ${ttl}\nenabled = false\n`;
const bare = (ttl: number) => `[ai.agents.persistence]\nttl_seconds = ${ttl}\n`;

async function ttl(files: Record<string, string>, options: LoadOptions = {}): Promise<number | null | undefined> {
  const path = join(await folder(files), 'settings.toml');
  return (await loadSettings({ path, env: {}, ...options })).persistence?.ttlSeconds;
}

const all = {
  'settings.toml': section('default', 1) + section('production', 2),
  'production.toml': section('default', 3) + section('production', 4) + section('staging', 5),
};
const variable = { AGENT_STATE_AI__AGENTS__PERSISTENCE__TTL_SECONDS: '6' };

it('the layers count in their order', async () => {
  expect(await ttl(all)).toBe(1);
  expect(await ttl({ 'settings.toml': all['settings.toml'] }, { environment: 'production' })).toBe(2);
  expect(await ttl({ ...all, 'production.toml': section('default', 3) }, { environment: 'production' })).toBe(3);
  expect(await ttl(all, { environment: 'production' })).toBe(4);
  expect(await ttl(all, { environment: 'production', env: variable })).toBe(6);
  expect(await ttl(all, { environment: 'staging' })).toBe(1);
});

it('the environment is the option, else the variable, whatever its case', async () => {
  expect(await ttl(all, { env: { AGENT_STATE_ENV: 'production' } })).toBe(4);
  expect(await ttl(all, { env: { agent_state_env: 'PRODUCTION' } })).toBe(4);
  expect(await ttl(all, { env: { AGENT_STATE_ENV: 'production' }, environment: 'staging' })).toBe(1);
});

it('a file without sections is taken as it is, settings.toml and ENVIRONMENT.toml alike', async () => {
  const off = '[ai.agents.persistence]\nenabled = false\n';
  expect(await ttl({ 'settings.toml': `${off}ttl_seconds = 1` })).toBe(1);
  expect(
    await ttl({ 'settings.toml': section('default', 1), 'production.toml': bare(3) }, { environment: 'production' }),
  ).toBe(3);
});

it('another prefix is another set of variables', async () => {
  const env = { NALA_ENV: 'production', NALA_AI__AGENTS__PERSISTENCE__TTL_SECONDS: '7', ...variable };
  expect(await ttl(all, { env, prefix: 'NALA' })).toBe(7);
  expect(await refusal(load('', { prefix: 'A__B' }))).toContain('prefix');
});

it('says what was read, the last word last', async () => {
  const path = join(await folder(all), 'settings.toml');
  const settings = await loadSettings({
    path,
    env: { ...variable, AGENT_STATE_ENV: 'Production', AGENT_STATE_OTHER: '1' },
  });
  expect(settings.environment).toBe('production');
  expect(settings.sources.map((source) => source.slice(source.lastIndexOf('/') + 1))).toEqual([
    'settings.toml [default]',
    'settings.toml [production]',
    'production.toml [default]',
    'production.toml [production]',
    'Environment variable AGENT_STATE_AI__AGENTS__PERSISTENCE__TTL_SECONDS',
  ]);
});

it('names the file and section in which the fault is', async () => {
  const files = { ...all, 'production.toml': bare(0) };
  const path = join(await folder(files), 'settings.toml');
  const message = await refusal(loadSettings({ path, env: {}, environment: 'production' }));
  expect(message).toContain('production.toml: ai.agents.persistence.ttl_seconds: expected a whole number of seconds');
});

it.each(['../production', 'a/b', '.', '', 'a b', 'x'.repeat(65)])(
  'an environment is a plain name: %j is none',
  async (name) => {
    expect(await refusal(load('', { environment: name }))).toContain('environment');
    expect(await refusal(load('', { env: { AGENT_STATE_ENV: name } }))).toContain('AGENT_STATE_ENV');
  },
);

it('an environment that nothing is written for is refused where a section is likely to be meant', async () => {
  expect(await refusal(load(all['settings.toml'], { environment: 'prodution' }))).toContain(
    'did you mean the environment "production"?',
  );
  expect((await load(all['settings.toml'], { environment: 'staging' })).environment).toBe('staging');
  expect((await load(`${all['settings.toml']}[prodution]`, { environment: 'prodution' })).environment).toBe(
    'prodution',
  );
});

it('a table outside of every section of a sectioned file is refused, not ignored', async () => {
  expect(await refusal(load(`${section('default', 1)}[ai.llms]`))).toContain('[ai] is outside of every section');
  expect(await refusal(load('default = 1'))).toContain('default: expected a table');
});

it('a variable of a prefix is left alone unless it is about these settings', async () => {
  const env = { AGENT_STATE_APP__NAME: 'x', AGENT_STATE_DEBUG: '1', AGENT_STATE: 'x', OTHER_AI__AGENTS__X: '1' };
  expect((await load('', { env })).sources).toHaveLength(1);
});

it.each(['AI', 'AI__', 'AI____AGENTS', 'AI__AGENTS__', 'AI_AGENTS__ENABLED', 'DATABASE_URL'])(
  'a variable whose keys cannot be told apart is refused: %s',
  async (name) => {
    expect(await refusal(load('', { env: { [`AGENT_STATE_${name}`]: '1' } }))).toContain(`AGENT_STATE_${name}: `);
  },
);

it('a variable cannot reach into a list, and a key in two cases is not guessed', async () => {
  const text = '[default.database.kvstore.a]\n[[default.database.kvstore.a.wrappers]]\nname = "x"\nenabled = false';
  const env = { AGENT_STATE_DATABASE__KVSTORE__A__WRAPPERS__0__ENABLED: 'true' };
  expect(await refusal(load(text, { env }))).toContain('database.kvstore.a.wrappers is a list');
  const two = '[default.database.kvstore.a]\n[default.database.kvstore.A]\n';
  expect(
    (await load(two, { env: { AGENT_STATE_DATABASE__KVSTORE__A__NAMESPACE: 'x' } })).database.kvstore.A?.namespace,
  ).toBe('x');
  const other = '[default.database.kvstore.Main]\n[default.database.kvstore.mAIN]\n';
  expect(await refusal(load(other, { env: { AGENT_STATE_DATABASE__KVSTORE__MAIN__NAMESPACE: 'x' } }))).toContain(
    'Main, mAIN',
  );
});

it('the two other spellings of the origin system mean the same', async () => {
  const text = `
[default.ai.agents.persistence]
connection_name = "cache_db"
[default.ai.llm]
default_connection_name = "main"
[default.ai.llm.connections.main]
backend = "openai"
[default.database.kvstore]
default_connection_name = "cache_db"
[default.database.kvstore.connections.cache_db]
backend = "redis"
`;
  const settings = await load(text, { env: { AGENT_STATE_DATABASE__KVSTORE__CACHE_DB__NAMESPACE: 'n' } });
  expect(settings.database.kvstore).toMatchObject({ cache_db: { backend: 'redis', namespace: 'n' } });
  expect(Object.keys(settings.database.kvstore)).toEqual(['cache_db']);
  expect(settings.llms.defaultConnectionName).toBe('main');
  expect(await refusal(load('[default.ai.llm]\n[default.ai.llms]'))).toContain('ai.llm: [ai.llms] is there as well');
});

it('names such as __proto__ and constructor are names like any other', async () => {
  const text =
    '[default.ai.agents.profiles.connections.__proto__]\nmax_iterations = 3\n[default.ai.agents.persistence]\nconnection_name = "constructor"';
  expect(await refusal(load(text))).toContain('no connection of this name in [database.kvstore]');
  const { agents } = await load(`${text.split('[default.ai.agents.persistence]')[0]}`);
  expect(Object.keys(agents.profiles)).toEqual(['__proto__']);
  expect(({} as Record<string, unknown>).maxIterations).toBeUndefined();
});
