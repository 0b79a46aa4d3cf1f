import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { FromChild, Order, ToChild } from './child.ts';

const program = fileURLToPath(new URL('../../dist/process/child.js', import.meta.url));

/** A process that works on a thread and may die of it. */
export interface Victim {
  readonly pid: number | undefined;
  /** How it ended: killed, at that point; or by itself, with that outcome. */
  readonly end: Promise<End>;
  /** Resolves when so many calls wait to be released. */
  holding(calls: number): Promise<void>;
  release(...calls: readonly string[]): void;
  signal(name: 'SIGKILL' | 'SIGTERM'): void;
}

export interface End {
  readonly killed: boolean;
  readonly code: number | null;
  /** The point at which it was killed, or the outcome of its run. */
  readonly word: string;
}

export interface Victims {
  start(order: Order): Promise<Victim>;
}

/** Processes on one store. Some are started ahead, so that nobody waits while they load their code. */
export function victimsOn(store: string, url: string, ahead = 0): Victims {
  const waiting: Promise<ChildProcess>[] = [];
  const started: ChildProcess[] = [];
  onTestFinished(() => {
    for (const child of started) child.kill('SIGKILL');
  });
  async function startOne(): Promise<ChildProcess> {
    const child = fork(program, [store, url], { execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    started.push(child);
    const died = once(child, 'exit').then(([code]) => Promise.reject(new Error(`It ended with ${code} at its start.`)));
    await Promise.race([once(child, 'message'), died]);
    return child;
  }
  /** Whoever takes it hears of what went wrong; nobody does of one that was not needed. */
  const startOneAhead = (): Promise<ChildProcess> => {
    const starting = startOne();
    starting.catch(() => {});
    return starting;
  };
  return {
    async start(order) {
      while (waiting.length <= ahead) waiting.push(startOneAhead());
      return victimOf(await (waiting.shift() as Promise<ChildProcess>), order);
    },
  };
}

function victimOf(child: ChildProcess, order: Order): Victim {
  const send = (message: ToChild): void => void child.send(message);
  const holding: string[] = [];
  child.on('message', (message: FromChild) => {
    if (message !== 'ready') holding.push(message.holding);
  });
  send(order);
  return {
    pid: child.pid,
    end: endOf(child),
    async holding(calls) {
      while (holding.length < calls) await once(child, 'message');
    },
    release(...calls) {
      for (const release of calls) send({ release });
    },
    signal: (name) => void child.kill(name),
  };
}

async function endOf(child: ChildProcess): Promise<End> {
  // The cast: it was started with a pipe.
  const output = child.stdout as NonNullable<ChildProcess['stdout']>;
  const [word, [code, signal]] = await Promise.all([text(output), once(child, 'exit')]);
  return { killed: signal === 'SIGKILL', code, word };
}
