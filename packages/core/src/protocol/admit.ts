import type { Absence, Glimpse } from './checkpointer.ts';
import { AgentStateError } from './errors.ts';
import { type Control, layoutVersion, type StoredAbsence, type StoreWrite } from './store.ts';

/** What a save needs to know of what is there. */
type Found = { readonly found: true; readonly control: Control } | StoredAbsence;
type Expectation = Pick<StoreWrite, 'expected' | 'expectedLength' | 'control'>;

/**
 * Whether a save may be done on what is there. Stores that decide in JavaScript call it inside their transaction; the
 * others say the same in their own language.
 */
export function admits(found: Found, write: Expectation): boolean {
  if (!found.found) {
    return write.expected === null && (found.tombstone === null || found.tombstone === write.control.life.after);
  }
  return (
    found.control.layout === layoutVersion &&
    found.control.etag === write.expected &&
    found.control.length === write.expectedLength
  );
}

/**
 * The error that a refused save is. A save whose life is not the stored one, or a create over another tombstone, comes
 * from before a delete wherever a tombstone or the stored `after` says so: `deleted`. Everything else is `conflict`.
 */
export function refusalOf(
  threadId: string,
  found: Glimpse | Absence,
  write: Pick<StoreWrite, 'expected' | 'expectedLength' | 'expectedLife' | 'control'>,
): AgentStateError {
  if (isDeleted(found, write)) {
    return new AgentStateError('deleted', 'The thread was deleted after this writer read it; nothing was written.', {
      threadId,
    });
  }
  if (found.found && found.etag === write.expected) {
    return new AgentStateError(
      'corrupt',
      `The stored history has ${found.length} messages where ${write.expectedLength} were expected; it is left as it is.`,
      { threadId },
    );
  }
  return new AgentStateError('conflict', 'Somebody else has written this thread; nothing was written.', {
    threadId,
    current: found.found ? conflictState(found) : null,
  });
}

function isDeleted(
  found: Glimpse | Absence,
  { expectedLife, control }: Pick<StoreWrite, 'expectedLife' | 'control'>,
): boolean {
  const known = expectedLife ?? control.life;
  if (!found.found) return found.tombstone !== null && found.tombstone !== known.after;
  if (expectedLife?.born === found.life.born) return false;
  return found.life.after !== null && found.life.after !== known.after;
}

function conflictState({ found: _found, head, ...position }: Glimpse) {
  return {
    ...position,
    claim: head.run?.claim ?? null,
    epoch: head.run?.epoch ?? 0,
    ownerWrite: head.run?.owner_write ?? null,
    requests: head.run?.requests ?? [],
  };
}
