import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Job } from './victim.ts';

/** The argument by which the program knows that it is the one to be killed. */
export const victimArgument = 'victim';

/** Runs the job in a process of its own. Resolves to why that was not killed; to nothing where it was. */
export async function runVictim(program: string, job: Job): Promise<string | undefined> {
  const child = spawn(process.execPath, [program, victimArgument], { stdio: ['pipe', 'ignore', 'pipe'] });
  // It may be gone before it has read everything.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(job));
  const [said, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (signal === 'SIGKILL') return undefined;
  return `its process ended with ${code ?? signal} and was not killed: ${said.trim().split('\n').at(-1)}`;
}
