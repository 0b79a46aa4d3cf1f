import type { ServerFolder } from './server-folder.ts';
import type { ServerProcess } from './server-process.ts';

/** How a test makes a server fail; the same for every kind of server. */
export interface Control {
  readonly pid: number | undefined;
  readonly dir: string;
  running(): boolean;
  /** Starts it again after `kill` or `shutdown`: same port, same folder. Extra arguments count for this start. */
  start(...args: string[]): Promise<void>;
  /** Asks it to end and keeps its data. */
  shutdown(): Promise<void>;
  /** SIGKILL; the data stays as the crash left it. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open, nothing answers. */
  freeze(): void;
  thaw(): void;
  /** Ends it for good and removes its folder, unless the caller brought that folder. */
  stop(): Promise<void>;
}

export interface Launch {
  readonly folder: ServerFolder;
  spawn(args: readonly string[]): ServerProcess;
  /** Settles when the server answers; rejects when it never will. */
  ready(process: ServerProcess): Promise<void>;
}

/** Starts a server and gives the handles to break and mend it. */
export async function controlled(launch: Launch): Promise<Control> {
  let process = await launched(launch, []);
  return {
    get pid() {
      return process.running() ? process.pid : undefined;
    },
    dir: launch.folder.path,
    running: () => process.running(),
    start: async (...args) => {
      if (process.running()) throw new TypeError('the server is running: kill() or shutdown() comes before start()');
      process = await launched(launch, args);
    },
    shutdown: () => process.end(),
    kill: () => process.kill(),
    freeze: () => process.signal('SIGSTOP'),
    thaw: () => process.signal('SIGCONT'),
    stop: async () => {
      await process.end();
      launch.folder.remove();
    },
  };
}

async function launched(launch: Launch, args: readonly string[]): Promise<ServerProcess> {
  launch.folder.make();
  const process = launch.spawn(args);
  try {
    await launch.ready(process);
  } catch (error) {
    await process.kill();
    throw error;
  }
  return process;
}
