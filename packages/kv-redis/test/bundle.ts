import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Bundle, bundleSources as bundlePackage } from '@agent-state/services/children';

export const bundleSources = (): Promise<Bundle> =>
  bundlePackage(fileURLToPath(new URL('..', import.meta.url)), ['@keyv/redis']);

/** What `child.mjs` says before it ends by itself; rejects where it does not within `timeout` milliseconds. */
export async function runChild(args: readonly string[], timeout: number): Promise<string> {
  const script = fileURLToPath(new URL('child.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { timeout, killSignal: 'SIGKILL' });
  return stdout.trim();
}
