import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

/** The package's sources as one file that plain Node runs, so that child processes need no build before the tests. */
export async function bundleSources(): Promise<{ file: string; remove(): Promise<void> }> {
  // Inside node_modules, so that the bundle finds the clients and git does not find the bundle.
  const outDir = join(packageFolder, 'node_modules', '.test', crypto.randomUUID());
  await build({
    configFile: false,
    logLevel: 'error',
    root: packageFolder,
    ssr: { noExternal: true, external: ['@keyv/redis'], resolve: { conditions: ['@agent-state/source', 'node'] } },
    build: { ssr: 'src/index.ts', outDir, emptyOutDir: true },
  });
  return { file: join(outDir, 'index.js'), remove: () => rm(outDir, { recursive: true }) };
}

/** What `child.mjs` says before it ends by itself; rejects where it does not within `timeout` milliseconds. */
export async function runChild(args: readonly string[], timeout: number): Promise<string> {
  const script = fileURLToPath(new URL('child.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { timeout, killSignal: 'SIGKILL' });
  return stdout.trim();
}
