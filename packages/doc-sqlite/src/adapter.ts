import { fileURLToPath } from 'node:url';
import type { CheckpointerAdapter } from '@agent-state/core';
import { createSqliteCheckpointer } from './checkpointer.ts';
import { misconfigured } from './options.ts';

/**
 * For a settings file with `backend = "sqlite"`. Its `provider` table holds `path`, or `url` with a `file:` URL
 * (`file:threads.db`, `file:///var/lib/app/threads.db`).
 */
export const sqliteAdapter: CheckpointerAdapter = Object.freeze<CheckpointerAdapter>({
  backends: Object.freeze(['sqlite']),
  strategy: 'document',
  providerKeys: Object.freeze(['path', 'url']),
  connect({ provider, namespace }) {
    return createSqliteCheckpointer({ path: pathOf(provider), namespace });
  },
});

function pathOf({ path, url }: Readonly<Record<string, unknown>>): string {
  if ((path === undefined) === (url === undefined)) {
    throw misconfigured('provider.path', 'A sqlite connection needs either provider.path or provider.url.');
  }
  if (url !== undefined) return pathOfUrl(url);
  if (typeof path === 'string' && path !== '') return path;
  throw misconfigured('provider.path', 'provider.path has to be a string.');
}

function pathOfUrl(url: unknown): string {
  const isFile = typeof url === 'string' && url.startsWith('file:') && url.length > 'file:'.length;
  if (!isFile || /[?#]/.test(url)) {
    throw misconfigured('provider.url', 'provider.url has to be a file: URL without parameters.');
  }
  if (!url.startsWith('file://')) return url.slice('file:'.length);
  try {
    return fileURLToPath(url);
  } catch {
    // Node's error shows the URL, which may hold more than a path: it is not kept.
    throw misconfigured('provider.url', 'provider.url is not a file: URL of a file on this machine.');
  }
}
