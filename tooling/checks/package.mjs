#!/usr/bin/env node
// Packs the package in the current folder as it would be published, and checks the tarball. Run after a build.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const bin = fileURLToPath(new URL('../../node_modules/.bin/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agent-state-pack-'));

/** Gives what the tool printed when it failed, otherwise undefined. */
const failure = async (tool, args) => {
  try {
    await promisify(execFile)(tool, args, { env: { ...process.env, NO_COLOR: '1' } });
    return undefined;
  } catch (error) {
    return `${tool} ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? error}`;
  }
};

async function check() {
  const packing = await failure('pnpm', ['pack', '--pack-destination', folder]);
  if (packing) return [packing];
  const tarball = join(folder, readdirSync(folder)[0] ?? '');
  const results = await Promise.all([
    failure(join(bin, 'publint'), ['run', tarball, '--strict']),
    failure(join(bin, 'attw'), [tarball, '--profile', 'esm-only']),
  ]);
  return results.filter((result) => result !== undefined);
}

try {
  const failures = await check();
  for (const text of failures) process.stderr.write(`${text}\n`);
  process.exitCode = failures.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
