import type { Capabilities, CheckpointStore } from '@agent-state/core';
import { find } from './find.ts';
import { readHead, readSteps, readThread, type View } from './read.ts';
import type { Session } from './session.ts';
import { removeExpired } from './sweep.ts';
import type { Tables } from './tables.ts';
import { bury, save } from './write.ts';

/** Expired threads go with every so many saves. */
const savesPerSweep = 100;

export function createSqliteStore(
  session: Session,
  tables: Tables,
  capabilities: Capabilities,
  now: () => number,
): CheckpointStore {
  let saves = 0;
  const look = <T>(work: (view: View) => T) =>
    session.run('read', (connection) => work({ connection, tables, now: now() }));
  const change = <T>(work: (view: View) => T) =>
    session.run('write', (connection) => work({ connection, tables, now: now() }));

  return {
    name: 'sqlite',
    capabilities,
    load: (threadId) => look((view) => readThread(view, threadId)),
    peek: (threadId) => look((view) => readHead(view, threadId)),
    save(threadId, write) {
      saves += 1;
      const sweeps = saves % savesPerSweep === 0;
      return change((view) => {
        if (sweeps) removeExpired(view.connection, tables, view.now);
        return save(view, threadId, write);
      });
    },
    bury: (threadId, burial) => change((view) => bury(view, threadId, burial)),
    steps: (threadId, { from, limit }) => look((view) => readSteps(view, threadId, from, limit)),
    find: (query) => find(look, query),
    reset: () => session.reset(),
    async close() {
      session.close();
    },
  };
}
