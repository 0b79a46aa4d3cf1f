import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { isMissing, startRedis } from '../src/index.ts';
import { waitUntil } from '../src/wait-until.ts';

const available = await startRedis();
if (!isMissing(available)) await available.stop();

const endings: [string, NodeJS.Signals, string][] = [
  ['is interrupted', 'SIGINT', ''],
  ['is terminated', 'SIGTERM', ''],
  ['is killed', 'SIGKILL', ''],
  ['is killed while its server is frozen', 'SIGKILL', 'frozen'],
  ['ends by itself', 'SIGUSR2', ''],
];

test.skipIf(isMissing(available)).each(endings)(
  'when a test run %s, its servers and their files are gone',
  async (_, signal, how) => {
    const run = spawn(process.execPath, [new URL('start-and-wait.mjs', import.meta.url).pathname, how], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface(run.stdout), 'line');
    const { port, dir } = JSON.parse(String(line));
    expect(await listens(port)).toBe(true);
    run.kill(signal);
    await once(run, 'exit');
    await waitUntil(async () => !(await listens(port)) && !existsSync(dir), 'the server and its folder are gone', 5000);
  },
);

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
