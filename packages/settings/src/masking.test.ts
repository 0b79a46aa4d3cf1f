import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { guarded, masked, maskUrl } from './masking.ts';

it.each([
  ['redis://user:S3CRET@host:6379/0', 'redis://user:***@host:6379/0'],
  ['redis://:S3CRET@host', 'redis://:***@host'],
  ['mongodb://u:S3C/R@E#T?@a:1,b:2/db', 'mongodb://u:***@a:1,b:2/db'],
  [
    'mongodb+srv://u:S3CRET@host/db?authSource=S3CRET&w=majority',
    'mongodb+srv://u:***@host/db?authSource=***&w=majority',
  ],
  ['https://host/v1?api_key=S3CRET', 'https://host/v1?api_key=***'],
  ['redis://localhost:6379/0', 'redis://localhost:6379/0'],
  ['not a url', 'not a url'],
])('hides the password inside of a URL: %s', (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
});

it.each(['api_key', 'apiKey', 'password', 'PASSWORD', 'client_secret', 'auth_token', 'credentials', 'headers'])(
  'hides what its key calls a secret: %s',
  (key) => {
    expect(masked('S3CRET', key)).toBe('***');
    expect(masked({ inner: ['S3CRET'] }, key)).toBe('***');
  },
);

it('keeps an empty secret, so that one sees that it is empty', () => {
  expect(masked('', 'password')).toBe('');
});

it('hides secrets wherever a provider is printed, and gives them to whoever reads it', () => {
  const provider = guarded({
    url: 'redis://u:S3CRET@h',
    tls: { key: 'S3CRET', ca: 'x' },
    nodes: ['redis://u:S3CRET@a', { password: 'S3CRET' }],
  });
  for (const part of [provider, { nested: [provider] }, provider.tls, provider.nodes]) {
    const printed = [
      inspect(part, { depth: 9, showHidden: true }),
      JSON.stringify(part),
      String(JSON.stringify([part])),
    ];
    expect(printed.join()).not.toContain('S3CRET');
  }
  expect(provider.url).toBe('redis://u:S3CRET@h');
  expect(Object.keys(provider)).toEqual(['url', 'tls', 'nodes']);
});

it('freezes a provider to its leaves', () => {
  const provider = guarded({ tls: { key: 'x' }, nodes: [{ a: 1 }] });
  expect(Object.isFrozen(provider)).toBe(true);
  expect(Object.isFrozen(provider.tls)).toBe(true);
  expect(Object.isFrozen(provider.nodes)).toBe(true);
});
