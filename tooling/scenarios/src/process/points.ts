import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Checkpointer, ThreadState } from '@agent-state/core';
import type { Ledger } from './ledger.ts';
import { writeKind } from './write-kind.ts';

/** Told of every named point that a process comes to: there it may be killed. */
export type At = (point: string) => void;

/**
 * A checkpointer that comes to a point with each load and save. `W1.sent`: the store has been handed the write, and it
 * may or may not be stored. `W1.acked`: it is, and its writer has not heard of it yet.
 */
export function withPoints(checkpointer: Checkpointer, at: At, ledger: Ledger): Checkpointer {
  let last: ThreadState | undefined;
  return Object.freeze<Checkpointer>({
    ...checkpointer,
    async load(threadId) {
      const loaded = await checkpointer.load(threadId);
      last = loaded.found ? loaded.state : undefined;
      at('load');
      return loaded;
    },
    async save(threadId, write) {
      const kind = writeKind(last, write.state);
      const saving = checkpointer.save(threadId, write);
      // It is on its way by then. Where the answer is faster, it waits: nothing may follow from it before.
      const [position] = await Promise.all([saving, nextTurn().then(() => at(`${kind}.sent`))]);
      // The cast: what is saved here was a whole state before.
      last = write.state as ThreadState;
      ledger.write({ saved: position.revision, by: process.pid });
      at(`${kind}.acked`);
      return position;
    },
  });
}
