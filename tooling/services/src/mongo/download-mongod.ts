import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { keepMongod } from './kept-mongod.ts';

/** Its own process: the library prints its progress to stdout, and only a process can be given up on. */
const script = `
const { MongoBinary } = (await import(process.argv[1])).default ?? {};
const path = await MongoBinary.getPath({ downloadDir: process.argv[2] });
process.stderr.write('\\n' + path + '\\n');
`;

/** Long enough for the first bytes of a download, short enough not to be felt where there is no way out. */
const patience = 10_000;

/** MongoDB's own download, by mongodb-memory-server, tried once. */
export function downloadMongod(): Promise<void> {
  return keepMongod(fetchInto);
}

function fetchInto(folder: string): Promise<string> {
  const library = import.meta.resolve('mongodb-memory-server-core');
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, library, folder], {
    env: { ...process.env, MONGOMS_MAX_RETRIES: '1', MONGOMS_PREFER_GLOBAL_PATH: 'false' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const impatient = setTimeout(() => {
    if (!hasBytes(folder)) child.kill('SIGKILL');
  }, patience);
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(impatient);
      if (code === 0) resolve(output.trimEnd().split('\n').at(-1) ?? '');
      else reject(new Error(output.match(/(?:Error|error): .*/)?.[0] ?? `no download within ${patience} ms`));
    });
  });
}

const hasBytes = (folder: string): boolean =>
  readdirSync(folder).some((name) => statSync(join(folder, name)).size > 64);
