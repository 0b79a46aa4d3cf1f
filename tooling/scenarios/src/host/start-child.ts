import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Told } from './child.ts';

const program = fileURLToPath(new URL('../../dist/host/child.js', import.meta.url));

export interface ChildOptions {
  /** Who or what makes trouble; see the child. */
  readonly trouble: 'told' | 'disk' | 'descriptors' | 'leave';
  readonly store: 'sqlite' | 'redis' | 'mongo';
  readonly url: string;
  readonly threadId?: string;
  /** A line of shell that comes first, in which `exec "$@"` is the child. */
  readonly shell?: string;
  /** Whom it runs as; default: whoever runs the test. */
  readonly user?: number | undefined;
}

export interface Child {
  /** Resolves when it has said this, rejects when it ends without. */
  said(line: string): Promise<void>;
  /** Lets it go on. */
  answer(): void;
  /** What it said at its end, after it has ended by itself; rejects where that was no success. */
  ended(): Promise<Told>;
}

/** Runs an agent in a process of its own, which meets trouble in the first of its two tools. */
export function startChild({ trouble, store, url, threadId = 't', shell = 'exec "$@"', user }: ChildOptions): Child {
  const args = ['-c', shell, 'sh', process.execPath, program, trouble, store, url, threadId];
  const identity = user === undefined ? {} : { uid: user, gid: user };
  const child = spawn('sh', args, { stdio: ['pipe', 'pipe', 'inherit'], ...identity });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>;
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> });
  reader.on('line', (line) => lines.push(line));
  const closed = once(reader, 'close');
  return {
    async said(line) {
      while (!lines.includes(line)) {
        const isOver = await Promise.race([once(reader, 'line').then(() => false), closed.then(() => true)]);
        if (isOver && !lines.includes(line)) throw new Error(`The child ended without saying: ${line}`);
      }
    },
    answer: () => void child.stdin?.write('\n'),
    async ended() {
      const [code, signal] = await exit;
      await closed;
      if (code !== 0) throw new Error(`The child ended with ${code ?? signal}.`);
      return JSON.parse(lines.at(-1) ?? '') as Told;
    },
  };
}
