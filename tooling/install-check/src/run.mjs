import { execFile } from 'node:child_process';

const outputLimit = 32 * 1024 * 1024;

/**
 * Runs a program to its end, or for `timeoutMs` (90 s), after which it is killed and `code` is null.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: Record<string, string>, timeoutMs?: number }} options
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export function run(command, args, { cwd, env = {}, timeoutMs = 90_000 }) {
  const options = {
    cwd,
    env: { ...process.env, ...env },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: outputLimit,
  };
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      // A name instead of an exit code: it could not be started, or printed too much.
      if (typeof error?.code === 'string') reject(error);
      else resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

/**
 * The same for a program that has to succeed; the error has all that it printed.
 * @type {typeof run}
 */
export async function runOrThrow(command, args, options) {
  const result = await run(command, args, options);
  if (result.code === 0) return result;
  const end = result.code === null ? 'was killed' : `ended with ${result.code}`;
  throw new Error(`${command} ${args.join(' ')} ${end}\n${result.stdout}${result.stderr}`);
}
