import { spawn } from 'node:child_process';
import { root } from './root.mjs';

/**
 * Runs a program to its end and gives its exit code. `quiet`: shows what it printed only when it fails, on stderr,
 * because stdout belongs to the program that comes after.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ quiet?: boolean, cwd?: string, env?: Record<string, string> }} options
 * @returns {Promise<number>}
 */
export function step(command, args, { quiet = false, cwd = root, env = {} } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
  });
  const output = [];
  child.stdout?.on('data', (chunk) => output.push(chunk));
  child.stderr?.on('data', (chunk) => output.push(chunk));
  const release = passSignals(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      release();
      if (quiet && code !== 0) process.stderr.write(Buffer.concat(output));
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
}

/** The child decides what an interrupt means; this process only waits for it. */
function passSignals(child) {
  const terminate = () => child.kill('SIGTERM');
  const wait = () => {};
  process.on('SIGTERM', terminate);
  process.on('SIGINT', wait);
  return () => {
    process.off('SIGTERM', terminate);
    process.off('SIGINT', wait);
  };
}
