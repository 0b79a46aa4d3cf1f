import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isAgentStateError } from '@agent-state/core';
import { onTestFinished } from 'vitest';
import { type LoadOptions, loadSettings, type Settings } from '../src/index.ts';

/** A folder with these files, gone after the test. */
export async function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'settings-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  return path;
}

/** Loads a settings.toml with this text; no environment variable but those given. */
export async function load(text: string, options: LoadOptions = {}): Promise<Settings> {
  const path = join(await folder({ 'settings.toml': text }), 'settings.toml');
  return loadSettings({ path, env: {}, ...options });
}

/** The message of the `configuration` error that it rejects with. */
export async function refusal(loading: Promise<unknown>): Promise<string> {
  const error = await loading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isAgentStateError(error, 'configuration')) throw new Error(`no configuration error, but ${String(error)}`);
  if (error.path === undefined || error.path === '') throw new Error('the error has no path');
  return error.message;
}
