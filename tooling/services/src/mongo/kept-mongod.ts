import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../cache-folder.ts';

/** Where a fetched mongod is kept for the next run. */
export const keptMongod = (): string => join(cacheFolder(), 'mongod', 'mongod');

/** Fetches into a folder of its own and renames the result, so that two runs at once cannot see half a file. */
export async function keepMongod(fetchInto: (folder: string) => Promise<string>): Promise<void> {
  const kept = keptMongod();
  mkdirSync(dirname(kept), { recursive: true });
  const folder = mkdtempSync(join(dirname(kept), 'fetch-'));
  try {
    const fetched = await fetchInto(folder);
    chmodSync(fetched, 0o755);
    renameSync(fetched, kept);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
