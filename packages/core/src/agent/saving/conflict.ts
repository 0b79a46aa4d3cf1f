import type { Absence, Checkpoint, Glimpse } from '../../protocol/checkpointer.ts';
import type { ConflictState, Life, Position } from '../../protocol/position.ts';
import { type Base, isAbsence } from '../../protocol/prepare.ts';

/** What a writer remembers of one of its writes, or of the record that its claim was built on. */
export interface KnownWrite {
  /** The number of the change that it carried. */
  readonly version: number;
  /** How many step records had been sent with it. */
  readonly steps: number;
  readonly acknowledged: boolean;
}

/** What a writer knows when it meets something in the store. */
export interface Knowledge {
  readonly base: Base | 'unknown';
  /** The life that it writes in; `born` is null until its create is acknowledged. */
  readonly life: { readonly born: string | null; readonly after: string | null };
  readonly writes: ReadonlyMap<string, KnownWrite>;
  /** The write ids of all its attempts to claim. */
  readonly claims: ReadonlySet<string>;
  /** Whether one of its claims was acknowledged. */
  readonly owns: boolean;
  /** Whether it holds steps that are in memory only. */
  readonly volatile: boolean;
  /** Whether a record that is gone may be written again: its time had not run out, and the store marks deletes. */
  readonly mayRevive: boolean;
}

export type Verdict =
  /** Deleted, or expired: nothing of it may come back. */
  | { readonly kind: 'deleted' }
  /** What the writer built on is still there: its write was not applied. */
  | { readonly kind: 'unchanged' }
  /** One of its own writes, not acknowledged so far: it is the new base. */
  | { readonly kind: 'landed'; readonly write: KnownWrite; readonly position: Position }
  /** One of its own, older than it acknowledged: the store was rolled back; all after it is sent again. */
  | { readonly kind: 'rolled_back'; readonly write: KnownWrite; readonly position: Position }
  /** A decision, a pause or a cancel that somebody wrote under its claim: to be obeyed, on top of that. */
  | { readonly kind: 'request'; readonly position: Position }
  /** Gone without a delete: written again from memory. */
  | { readonly kind: 'vanished' }
  /** It owns nothing yet: load again. */
  | { readonly kind: 'again' }
  /** Somebody else's, and steps in memory that build on something else. */
  | { readonly kind: 'diverged' }
  /** Somebody else's. Whether anything acknowledged is missing in it has to be read. */
  | { readonly kind: 'taken_over' };

export type Met = Glimpse | Checkpoint | ConflictState | Absence;

/** What it means that `found` is in the store: the protocol's table "When two meet", in its order. */
export function verdictOf(found: Met, mine: Knowledge): Verdict {
  if (isAbsent(found)) return verdictOfAbsence(found, mine);
  const position: Position = found;
  const write = mine.writes.get(position.etag);
  const claim = claimOf(found);
  const isMine = claim !== null && mine.claims.has(claim);
  if (mine.base === 'unknown') return { kind: 'diverged' };
  if (!write && !isMine && isAnotherLife(position.life, mine.life)) return { kind: 'deleted' };
  if (write && isBase(mine.base, position)) return { kind: 'unchanged' };
  if (write) return { kind: write.acknowledged ? 'rolled_back' : 'landed', write, position };
  if (isMine) return { kind: 'request', position };
  if (mine.volatile) return { kind: 'diverged' };
  return { kind: mine.owns ? 'taken_over' : 'again' };
}

function verdictOfAbsence({ tombstone }: Absence, mine: Knowledge): Verdict {
  if (mine.base === 'unknown') return { kind: tombstone === null ? 'unchanged' : 'deleted' };
  if (tombstone !== null && tombstone !== mine.life.after) return { kind: 'deleted' };
  if (isAbsence(mine.base)) return { kind: 'unchanged' };
  if (!mine.owns && !mine.volatile) return { kind: 'again' };
  return { kind: mine.mayRevive ? 'vanished' : 'deleted' };
}

/** Another life, and a delete that explains it. */
function isAnotherLife(found: Life, mine: Knowledge['life']): boolean {
  return found.born !== mine.born && found.after !== null && found.after !== mine.after;
}

function isAbsent(found: Met): found is Absence {
  return 'found' in found && !found.found;
}

/** The claim under which a record was written. */
function claimOf(found: Glimpse | Checkpoint | ConflictState): string | null {
  if ('claim' in found) return found.claim;
  return ('head' in found ? found.head : found.state).run?.claim ?? null;
}

function isBase(base: Base, found: Position): boolean {
  return !isAbsence(base) && base.etag === found.etag;
}
