import type { Binary } from '../binary.ts';
import { canInstallByApt, installByApt } from '../install-by-apt.ts';
import { type Missing, missing } from '../missing.ts';
import { messageOf, tryCommand } from '../run-command.ts';

let found: Promise<Binary | Missing> | undefined;

/** redis-server from PATH, installed first where that needs nobody's permission. */
export function findRedis(): Promise<Binary | Missing> {
  found ??= search();
  return found;
}

async function search(): Promise<Binary | Missing> {
  const present = await redisOnPath('PATH');
  if (present) return present;
  if (!canInstallByApt()) {
    return missing('redis-server', 'install it (Debian: apt-get install redis-server; macOS: brew install redis)');
  }
  try {
    await installByApt('redis-server');
  } catch (error) {
    return missing('redis-server', `installing it failed: ${messageOf(error)}`);
  }
  return (await redisOnPath('apt-get')) ?? missing('redis-server', 'apt-get installed none');
}

async function redisOnPath(from: string): Promise<Binary | undefined> {
  const version = (await tryCommand('redis-server', ['--version']))?.match(/v=(\S+)/)?.[1];
  return version === undefined ? undefined : { path: 'redis-server', version, from };
}
