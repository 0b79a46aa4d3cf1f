import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';

export interface Bundle {
  readonly file: string;
  remove(): Promise<void>;
}

/**
 * A package's sources as one file that plain Node runs, so that child processes need no build before the tests.
 * `clients` stay imports.
 */
export async function bundleSources(packageFolder: string, clients: string[]): Promise<Bundle> {
  // Inside node_modules, so that the bundle finds the clients and git does not find the bundle.
  const outDir = join(packageFolder, 'node_modules', '.test', crypto.randomUUID());
  await build({
    configFile: false,
    logLevel: 'error',
    root: packageFolder,
    ssr: { noExternal: true, external: clients, resolve: { conditions: ['@agent-state/source', 'node'] } },
    build: { ssr: 'src/index.ts', outDir, emptyOutDir: true },
  });
  return { file: join(outDir, 'index.js'), remove: () => rm(outDir, { recursive: true }) };
}
