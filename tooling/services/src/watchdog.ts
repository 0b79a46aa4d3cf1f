import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A shell that outlives this process just long enough to clean up after it: its input closes when this process
 * ends, in whatever way, SIGKILL included. It then kills the servers still running and removes their folder.
 */
const script = `
pids=
while read -r verb pid; do
  rest=
  for known in $pids; do [ "$known" = "$pid" ] || rest="$rest $known"; done
  pids="$rest"
  [ "$verb" = watch ] && pids="$pids $pid"
done
[ -n "$pids" ] && kill -9 $pids 2>/dev/null
rm -rf "$1" || { sleep 0.2; rm -rf "$1"; }
`;

export interface Watchdog {
  /** Where this process keeps what its servers write. */
  readonly folder: string;
  readonly pid: number | undefined;
  watch(pid: number): void;
  forget(pid: number): void;
}

let current: Watchdog | undefined;

/** One for the whole process, started by the first server. */
export function watchdog(): Watchdog {
  current ??= startWatchdog();
  return current;
}

function startWatchdog(): Watchdog {
  const folder = mkdtempSync(join(tmpdir(), 'agent-state-'));
  // Detached, so that an interrupt typed in the terminal does not reach it before its work is done.
  const shell = spawn('/bin/sh', ['-c', script, 'watchdog', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const input = pipeOf(shell);
  shell.unref();
  input.unref();
  return Object.freeze({
    folder,
    pid: shell.pid,
    watch: (pid: number) => void input.write(`watch ${pid}\n`),
    forget: (pid: number) => void input.write(`forget ${pid}\n`),
  });
}

function pipeOf(shell: ChildProcess): Socket {
  // Node types a child's input as a plain Writable; for a pipe it is a socket, which can be unreferenced.
  const input = shell.stdin as Socket;
  input.on('error', () => {
    // The shell was killed from outside: the servers then only lose their safety net.
  });
  return input;
}
