import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { watchdog } from './watchdog.ts';

export interface ServerFolder {
  readonly path: string;
  /** Makes it again where it was removed. */
  make(): void;
  /** Removes it, unless the caller brought it. */
  remove(): void;
}

/** What a server writes: the caller's folder, or a temporary one of its own. */
export function serverFolder(prefix: string, own?: string): ServerFolder {
  const path = own ?? mkdtempSync(join(watchdog().folder, `${prefix}-`));
  return Object.freeze({
    path,
    make: () => void mkdirSync(path, { recursive: true }),
    remove: () => {
      if (own === undefined) rmSync(path, { recursive: true, force: true });
    },
  });
}
