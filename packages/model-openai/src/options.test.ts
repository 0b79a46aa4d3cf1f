import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { openAiModelBackend } from './backend.ts';
import { createOpenAiModel } from './model.ts';
import { settingsOf } from './options.ts';

const secret = 'sk-very-secret';

it.each([
  ['no model', { model: '', apiKey: secret }, 'model'],
  ['no key for OpenAI itself', { model: 'm' }, 'apiKey'],
  ['a key that is no header', { model: 'm', apiKey: `${secret}\n` }, 'apiKey'],
  ['a key that is no text', { model: 'm', apiKey: { secret } as unknown as string }, 'apiKey'],
  ['another protocol', { model: 'm', baseUrl: `ftp://${secret}` }, 'baseUrl'],
  ['no URL', { model: 'm', baseUrl: secret }, 'baseUrl'],
  ['a password in the URL', { model: 'm', baseUrl: `http://user:${secret}@host` }, 'baseUrl'],
  ['a header over two lines', { model: 'm', apiKey: 'k', headers: { 'x-key': `${secret}\r\nx: y` } }, 'headers.x-key'],
  ['a header name that is none', { model: 'm', apiKey: 'k', headers: { [`${secret} x`]: 'y' } }, 'headers'],
  ['a timeout of 0', { model: 'm', apiKey: 'k', timeoutMs: 0 }, 'timeoutMs'],
  ['half a retry', { model: 'm', apiKey: 'k', maxRetries: 0.5 }, 'maxRetries'],
])('refuses %s, without showing it', (_what, options, path) => {
  expect(() => createOpenAiModel(options)).toThrow(expect.objectContaining({ code: 'configuration', path }));
  expect(() => createOpenAiModel(options)).not.toThrow(secret);
});

it('[S-CFG-06] refuses one that is misspelt, with those that there are', () => {
  const misspelt = { model: 'm', apiKey: secret, tlt: 60 };
  expect(() => createOpenAiModel(misspelt)).toThrow(/tlt.*timeoutMs/);
});

it.each([
  [undefined, 'https://api.openai.com/v1/chat/completions'],
  ['http://localhost:11434/v1/', 'http://localhost:11434/v1/chat/completions'],
  ['http://localhost', 'http://localhost/chat/completions'],
  ['https://host/openai?api-version=1', 'https://host/openai/chat/completions?api-version=1'],
])('asks %s at %s', (baseUrl, url) => {
  expect(settingsOf({ model: 'm', apiKey: 'k', ...(baseUrl === undefined ? {} : { baseUrl }) }).url).toBe(url);
});

it('never shows the key, however the model is looked at', () => {
  const model = createOpenAiModel({ model: 'm', apiKey: secret, headers: { 'x-key': secret } });
  expect(inspect(model, { depth: 20, showHidden: true }) + JSON.stringify(model)).not.toContain(secret);
  expect(model.name).toBe('m');
});

it('makes a model of a connection in a settings file', () => {
  const provider = { base_url: 'http://localhost:1/v1', api_key: '', organization_id: 'org' };
  const connection = { name: 'main', defaultModel: 'gpt', timeoutSeconds: 1.5, provider };
  expect(openAiModelBackend.backend).toBe('openai');
  expect(openAiModelBackend.create(connection).name).toBe('gpt');
});

it.each([
  ['a base_url that is no URL', { base_url: secret }, 'provider.base_url'],
  ['a key that is no text', { api_key: 5 }, 'provider.api_key'],
  ['neither key nor base_url', {}, 'provider.api_key'],
  ['a key over two lines', { api_key: `${secret}\n` }, 'provider.api_key'],
])('names the setting that does not fit: %s', (_what, provider, path) => {
  const create = () => openAiModelBackend.create({ name: 'main', defaultModel: 'gpt', provider });
  expect(create).toThrow(expect.objectContaining({ code: 'configuration', path }));
  expect(create).toThrow(path);
  expect(create).not.toThrow(secret);
});
