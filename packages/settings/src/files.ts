import { readFile } from 'node:fs/promises';
import { configurationError } from './faults.ts';
import type { Table } from './table.ts';
import { parseFile } from './toml.ts';

/** The file's tables; undefined where there is no such file. Anything else that is wrong names the path. */
export async function readSettingsFile(path: string): Promise<Table | undefined> {
  const bytes = await readBytes(path);
  return bytes && parseFile(decode(bytes, path), path);
}

async function readBytes(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    if (code === 'ENOENT') return undefined;
    const reason = code === 'EISDIR' ? 'it is a directory, not a file' : `it cannot be read (${code})`;
    throw configurationError(path, `Settings file ${path}: ${reason}.`);
  }
}

/** UTF-8, as TOML demands; a byte order mark is dropped. */
function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw configurationError(path, `Settings file ${path}: it is not UTF-8.`);
  }
}
