import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { watchdog } from './watchdog.ts';

export interface ServerProcess {
  readonly pid: number | undefined;
  running(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Asks it to end; a server that is frozen, or does not listen within five seconds, is killed. */
  end(): Promise<void>;
  kill(): Promise<void>;
  /** The last lines it printed, for error messages. */
  log(): string;
}

/** The child does not keep this process alive, and the watchdog does not let it outlive this process. */
export function spawnServer(binary: string, args: readonly string[], logFile: string): ServerProcess {
  const output = openSync(logFile, 'a');
  const child = spawn(binary, args, { detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  if (child.pid !== undefined) keepWatch(child, child.pid);
  child.unref();
  const signal = (name: NodeJS.Signals) => void (isRunning(child) && child.kill(name));
  const endBy = async (name: NodeJS.Signals) => {
    if (!isRunning(child)) return;
    child.ref();
    signal(name);
    const impatient = setTimeout(signal, 5000, 'SIGKILL');
    await exited;
    clearTimeout(impatient);
  };
  return Object.freeze({
    pid: child.pid,
    running: () => isRunning(child),
    signal,
    end: () => {
      const ended = endBy('SIGTERM');
      signal('SIGCONT');
      return ended;
    },
    kill: () => endBy('SIGKILL'),
    log: () => readFileSync(logFile, 'utf8').slice(-2000),
  });
}

const isRunning = (child: ChildProcess): boolean =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null;

function keepWatch(child: ChildProcess, pid: number): void {
  watchdog().watch(pid);
  child.once('exit', () => watchdog().forget(pid));
}
