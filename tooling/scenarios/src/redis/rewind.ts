import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RedisServer } from '@agent-state/services';

/** A server that appends all it is told to a file, and can be put back to how it was. */
export function rewindable(server: RedisServer) {
  const appended = join(server.dir, 'appendonlydir');
  const copied = join(server.dir, 'copied');
  /** Starts a server that was killed with what was copied last. */
  async function restoreCopy(): Promise<void> {
    await rm(appended, { recursive: true });
    await cp(copied, appended, { recursive: true });
    await server.start();
  }
  return {
    appended,
    copy: async () => {
      await rm(copied, { recursive: true, force: true });
      await cp(appended, copied, { recursive: true });
    },
    restoreCopy,
    rollBack: async () => {
      await server.kill();
      await restoreCopy();
    },
  };
}

/** What such a server is started with. */
export const appending: readonly string[] = ['--appendonly', 'yes', '--appendfsync', 'always'];
