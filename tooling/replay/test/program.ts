import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

/** What only the packages beside this one depend on, from where they find it. */
const libsql = createRequire(join(packageFolder, 'node_modules/@agent-state/doc-sqlite/package.json')).resolve(
  'libsql',
);

/** The program as plain Node runs it, from the sources, so that its processes need no build before the tests. */
export async function bundleProgram(): Promise<{ readonly file: string; remove(): Promise<void> }> {
  // Inside node_modules, so that the bundle finds the clients and git does not find the bundle.
  const outDir = join(packageFolder, 'node_modules', '.test', crypto.randomUUID());
  const external = ['mongodb', 'ioredis', 'keyv', '@keyv/redis', libsql];
  await build({
    configFile: false,
    logLevel: 'error',
    root: packageFolder,
    resolve: { alias: { libsql } },
    ssr: { noExternal: true, external, resolve: { conditions: ['@agent-state/source', 'node'] } },
    build: { ssr: 'src/main.ts', outDir, emptyOutDir: true, rolldownOptions: { external } },
  });
  return { file: join(outDir, 'main.js'), remove: () => rm(outDir, { recursive: true }) };
}

export interface Ran {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: string;
}

/** Runs it to its end. */
export async function run(program: string, ...args: readonly string[]): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: Number(code), out: out.split('\n').filter(Boolean), err };
}
