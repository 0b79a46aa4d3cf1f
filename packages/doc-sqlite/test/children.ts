import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

/** The package's sources as one file that plain Node runs, so that child processes need no build before the tests. */
export async function bundleSources(): Promise<{ file: string; remove(): Promise<void> }> {
  // Inside node_modules, so that the bundle finds libsql and git does not find the bundle.
  const outDir = join(packageFolder, 'node_modules', '.test', crypto.randomUUID());
  await build({
    configFile: false,
    logLevel: 'error',
    root: packageFolder,
    ssr: { noExternal: true, external: ['libsql'], resolve: { conditions: ['@agent-state/source', 'node'] } },
    build: { ssr: 'src/index.ts', outDir, emptyOutDir: true },
  });
  return { file: join(outDir, 'index.js'), remove: () => rm(outDir, { recursive: true }) };
}

/** A child process, by what it says. */
export interface Child {
  /** Everything said so far. */
  readonly lines: readonly string[];
  /** Resolves once a line starts with `start`; rejects when the process ends without it. */
  said(start: string): Promise<string>;
  /** Ends it as a power cut would, and resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves when it ends by itself; rejects where that was not success. */
  ended(): Promise<void>;
}

/** Runs a script of this folder with plain Node. */
export function startChild(script: string, ...args: string[]): Child {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> });
  reader.on('line', (line) => lines.push(line));
  const closed = once(reader, 'close');
  return {
    lines,
    async said(start) {
      for (;;) {
        const found = lines.find((line) => line.startsWith(start));
        if (found !== undefined) return found;
        const ended = await Promise.race([once(reader, 'line').then(() => false), closed.then(() => true)]);
        if (ended && !lines.some((line) => line.startsWith(start))) throw new Error(`${script} ended without ${start}`);
      }
    },
    async kill() {
      child.kill('SIGKILL');
      await exit;
      await closed;
    },
    async ended() {
      const [code, signal] = await exit;
      await closed;
      if (code !== 0) throw new Error(`${script} ended with ${code ?? signal}`);
    },
  };
}
