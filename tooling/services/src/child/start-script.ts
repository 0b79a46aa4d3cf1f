import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

/** A child process, by what it says. */
export interface Script {
  /** Everything said so far. */
  readonly lines: readonly string[];
  /** Resolves once a line starts with `start`; rejects when the process ends without it. */
  said(start: string): Promise<string>;
  /** At once, so that nothing of it happens in between. */
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends it as a power cut would, and resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves when it ends by itself; rejects where that was not success. */
  ended(): Promise<void>;
}

/** Runs a script with plain Node. */
export function startScript(path: string, ...args: string[]): Script {
  const script = basename(path);
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const closed = once(reader, 'close');
  return {
    lines,
    async said(start) {
      for (;;) {
        const found = lines.find((line) => line.startsWith(start));
        if (found !== undefined) return found;
        const ended = await Promise.race([once(reader, 'line').then(() => false), closed.then(() => true)]);
        if (ended && !lines.some((line) => line.startsWith(start))) throw new Error(`${script} ended without ${start}`);
      }
    },
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill('SIGKILL');
      await exit;
      await closed;
    },
    async ended() {
      const [code, signal] = await exit;
      await closed;
      if (code !== 0) throw new Error(`${script} ended with ${code ?? signal}`);
    },
  };
}
