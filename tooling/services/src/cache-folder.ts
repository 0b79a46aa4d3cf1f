import { homedir } from 'node:os';
import { join } from 'node:path';

/** Outside the repository, so that a fresh clone finds what another one has fetched. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.AGENT_STATE_CACHE ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agent-state');
}
