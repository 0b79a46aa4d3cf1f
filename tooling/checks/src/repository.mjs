import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What the rules look at: plain data, so that a test can make up a repository.
 * @typedef {{ path: string, text: string }} File
 * @typedef {{ folder: string, manifest: any }} Package
 * @typedef {{ files: readonly File[], packages: readonly Package[] }} Repository
 */

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Everything git knows or would know: what is about to be committed is checked as well. */
export function readRepository(folder = root) {
  const names = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: folder, encoding: 'utf8' });
  const paths = [...new Set(names.split('\0'))].filter((path) => path && existsSync(join(folder, path)));
  return repositoryOf(paths.map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') })));
}

/**
 * @param {readonly File[]} files
 * @returns {Repository}
 */
export function repositoryOf(files) {
  const manifests = files.filter(({ path }) => /^(packages|apps|tooling)\/[^/]+\/package\.json$/.test(path));
  const packages = manifests.map(({ path, text }) => ({ folder: dirname(path), manifest: JSON.parse(text) }));
  return { files, packages };
}

export const adapters = ['kv', 'kv-memory', 'kv-redis', 'doc-mongo', 'doc-sqlite', 'model-openai'];

/** @param {string} path */
export const isSource = (path) => /^(packages|apps|tooling)\/.*\.(ts|mjs)$/.test(path);

/** @param {string} path */
export const isTest = (path) => /\.test\.(ts|mjs)$|\.test-d\.ts$|^[^/]+\/[^/]+\/test\//.test(path);

/**
 * The package that a file belongs to, by folder name.
 * @param {string} path
 */
export const packageOf = (path) => path.split('/').slice(0, 2).join('/');
