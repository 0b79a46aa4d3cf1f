import { fileURLToPath } from 'node:url';
import { type Bundle, bundleSources as bundlePackage, type Script, startScript } from '@agent-state/services/children';

export const bundleSources = (): Promise<Bundle> =>
  bundlePackage(fileURLToPath(new URL('..', import.meta.url)), ['libsql']);

/** Runs a script of this folder with plain Node. */
export function startChild(script: string, ...args: string[]): Script {
  return startScript(fileURLToPath(new URL(script, import.meta.url)), ...args);
}
