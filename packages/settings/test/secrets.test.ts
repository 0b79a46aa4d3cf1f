import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { loadSettings, printSettings } from '../src/index.ts';
import { folder, load, refusal } from './folder.ts';

const text = `
[default.ai.agents]
default_connection_name = "main"
[default.ai.agents.persistence]
connection_name = "store"
[default.ai.llms.connections.main.provider]
api_key = { path = "ai/openai", key = "api_key" }
base_url = "https://u:S3CRET@host/v1"
region = { path = "ai/openai", key = "region" }
[default.ai.llms.connections.unused.provider]
api_key = { path = "ai/other", key = "api_key" }
[default.database.kvstore.store]
backend = "redis"
[default.database.kvstore.store.provider]
uri = "redis://u:S3CRET@host:6379"
tls = { passphrase = { path = "tls", key = "pass" }, hosts = [{ path = "tls", key = "host" }] }
`;

const vault = ({ path, key }: { path: string; key: string }) => `S3CRET ${path} ${key}`;

it('asks for the secrets that agents and persistence use, wherever in a provider they are', async () => {
  const { llms, database } = await load(text, { resolveSecret: async (reference) => vault(reference) });
  expect(llms.connections.main?.provider.api_key).toBe('S3CRET ai/openai api_key');
  expect(llms.connections.main?.provider.region).toBe('S3CRET ai/openai region');
  expect(database.kvstore.store?.provider.tls).toEqual({ passphrase: 'S3CRET tls pass', hosts: ['S3CRET tls host'] });
});

it('does not ask for those of connections that nothing uses', async () => {
  const asked: string[] = [];
  const resolveSecret = (reference: { path: string; key: string }) => {
    asked.push(reference.path);
    return 'x';
  };
  const settings = await load(text, { resolveSecret });
  expect(new Set(asked)).toEqual(new Set(['ai/openai', 'tls']));
  expect(settings.llms.connections.unused?.provider.api_key).toEqual({ path: 'ai/other', key: 'api_key' });
});

it('a secret from the environment takes the place of a reference', async () => {
  const env = { AGENT_STATE_AI__LLMS__CONNECTIONS__MAIN__PROVIDER__API_KEY: '0123' };
  const settings = await load(text, { env, resolveSecret: vault });
  expect(settings.llms.connections.main?.provider.api_key).toBe('0123');
});

it('never prints a secret, however the settings are printed', async () => {
  const settings = await load(text, { resolveSecret: vault });
  const { main } = settings.llms.connections;
  const printed = [
    printSettings(settings),
    JSON.stringify(settings),
    inspect(settings, { depth: 20, showHidden: true }),
  ];
  const parts = [inspect(main), JSON.stringify(main), inspect(main?.provider), `${JSON.stringify([settings])}`];
  expect([...printed, ...parts].join()).not.toContain('S3CRET');
  expect(JSON.parse(printSettings(settings)).llms.connections.main.provider).toEqual({
    api_key: '***',
    base_url: 'https://u:***@host/v1',
    region: '***',
  });
});

it('a reference without anybody to ask is an error that says so', async () => {
  expect(await refusal(load(text))).toBe(
    'database.kvstore.store.provider.tls.passphrase: the secret { path = "tls", key = "pass" } needs the option resolveSecret of loadSettings.',
  );
});

it('a secret that cannot be had is an error without a word of the secret manager', async () => {
  const failing = async () => Promise.reject(Object.assign(new TypeError('token S3CRET'), { code: 'ECONNREFUSED' }));
  const error = await load(text, { resolveSecret: failing }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'configuration', path: 'database.kvstore.store.provider.tls.passphrase' });
  expect(inspect(error)).toContain('resolveSecret failed (TypeError, ECONNREFUSED)');
  expect(inspect(error)).not.toContain('S3CRET');
  expect(await refusal(load(text, { resolveSecret: () => undefined as never }))).toContain('did not give a string');
});

it('no error shows a value: not of a wrong type, not of an unknown key, not of a variable', async () => {
  const wrong =
    '[default.ai.agents]\nenabled = "S3CRET"\nS3 = "S3CRET"\n[default.ai.agents.persistence]\nstrategy = "S3CRET"';
  const env = {
    AGENT_STATE_AI__LLMS__CONNECTIONS__A__TIMEOUT: 'S3CRET',
    AGENT_STATE_AI__LLMS__CONNECTIONS__A__KEY: 'S3CRET',
  };
  const path = `${await folder({ 'settings.toml': wrong })}/settings.toml`;
  const error = await loadSettings({ path, env }).catch((reason: unknown) => reason);
  expect(inspect(error, { depth: 9 })).toContain('5 faults');
  expect(inspect(error, { depth: 9 })).not.toContain('S3CRET');
});

it('a syntax error shows nothing of the file, not even in its cause', async () => {
  const error = await load('password = "S3CRET\nx = 1').catch((reason: unknown) => reason);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('S3CRET');
});

it('settings are frozen to their leaves', async () => {
  const settings = await load(text, { resolveSecret: vault });
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
  expect(frozen(settings)).toBe(true);
});
