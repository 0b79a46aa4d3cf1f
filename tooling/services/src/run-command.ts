import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a command to its end; rejects when it fails, with what it printed in the message. */
export async function runCommand(command: string, args: readonly string[], timeout = 300_000): Promise<string> {
  try {
    const { stdout } = await execute(command, [...args], { timeout, maxBuffer: 16 * 1024 * 1024 });
    return stdout;
  } catch (cause) {
    throw new Error(`${command} ${args.join(' ')} failed: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** The output, or undefined where the command is absent or fails: for asking whether something is there. */
export async function tryCommand(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return await runCommand(command, args, 30_000);
  } catch {
    return undefined;
  }
}

/** A failed command's message holds what the command itself had to say. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
