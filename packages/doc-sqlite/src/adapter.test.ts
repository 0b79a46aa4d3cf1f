import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteAdapter } from './adapter.ts';

const connect = (provider: Record<string, unknown>) =>
  sqliteAdapter.connect({ name: 'main', namespace: 'threads', provider });

it('serves the backend sqlite of the document strategy', () => {
  expect(sqliteAdapter).toMatchObject({ backends: ['sqlite'], strategy: 'document' });
});

it('opens the same file by a path and by either form of URL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a b.db');
  await connect({ path }).save('thread', { state: { history: [] } });
  expect((await connect({ url: pathToFileURL(path).href }).load('thread')).found).toBe(true);
  expect((await connect({ url: `file:${path}` }).load('thread')).found).toBe(true);
});

it.each([
  ['neither', {}],
  ['both', { path: 'a.db', url: 'file:a.db' }],
  ['a path of another type', { path: 5 }],
  ['an empty path', { path: '' }],
  ['another scheme', { url: 'https://user:secret@host/db' }],
  ['a remote file', { url: 'file://user:secret@host/db' }],
  ['parameters', { url: 'file:a.db?mode=memory&secret=1' }],
  ['nothing behind the scheme', { url: 'file:' }],
])('refuses %s, without showing it', (_what, provider) => {
  const refusal = expect.objectContaining({ code: 'configuration', path: expect.stringMatching(/^provider\./) });
  expect(() => connect(provider)).toThrow(refusal);
  expect(() => connect(provider)).not.toThrow('secret');
});
