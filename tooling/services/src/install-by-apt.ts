import { existsSync } from 'node:fs';
import { runCommand } from './run-command.ts';

export const canInstallByApt = (): boolean => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** The lists may be absent or stale in a container, so they are always refreshed first. */
export async function installByApt(...packages: string[]): Promise<void> {
  await runCommand('apt-get', ['update']);
  await runCommand('apt-get', ['install', '-y', '--no-install-recommends', ...packages]);
}
