import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './root.mjs';
import { step } from './step.mjs';

/** The version that made the lock file; another one may read it differently. */
export function pinnedPnpm() {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return packageManager.replace(/^pnpm@/, '').replace(/\+.*$/, '');
}

/** Outside the repository, so that a fresh clone finds what another one has fetched. */
function cacheFolder() {
  const { AGENT_STATE_CACHE, XDG_CACHE_HOME } = process.env;
  return AGENT_STATE_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agent-state');
}

/** Puts the pinned pnpm on PATH, fetched by npm where it is not there yet. */
export async function bringPnpm() {
  const version = pinnedPnpm();
  if (versionOf('pnpm') === version) return;
  const prefix = join(cacheFolder(), `pnpm-${version}`);
  if (versionOf(program(prefix)) !== version) await fetchPnpm(version, prefix);
  process.env.PATH = `${dirname(program(prefix))}:${process.env.PATH}`;
}

async function fetchPnpm(version, prefix) {
  process.stderr.write(`Fetching pnpm ${version} …\n`);
  mkdirSync(prefix, { recursive: true });
  const flags = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--include=optional'];
  const code = await step('npm', ['install', ...flags, '--prefix', prefix, `pnpm@${version}`], {
    quiet: true,
    cwd: prefix,
  });
  if (code !== 0 || versionOf(program(prefix)) !== version) throw new Error(`npm could not bring pnpm ${version}`);
}

/**
 * The native program. npm's own link may lead to a shell script in its place, where install scripts are not run,
 * and not everything that starts pnpm can start that.
 */
function program(prefix) {
  const scope = join(prefix, 'node_modules', '@pnpm');
  const native = existsSync(scope) && readdirSync(scope).find((name) => name.startsWith('exe.'));
  return native ? join(scope, native, 'pnpm') : join(prefix, 'node_modules', '.bin', 'pnpm');
}

/** Asked outside the repository, where no version manager has an opinion about the answer. */
function versionOf(pnpm) {
  try {
    return execFileSync(pnpm, ['--version'], {
      cwd: tmpdir(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 20_000,
      env: { ...process.env, COREPACK_ENABLE_NETWORK: '0' },
    }).trim();
  } catch {
    return undefined;
  }
}
