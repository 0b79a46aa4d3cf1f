import type { ErrorCode } from '../protocol/errors.ts';

/** The calls that can meet a fault. */
export type FaultyCall = 'load' | 'peek' | 'save' | 'delete' | 'steps' | 'list' | 'query';

/** Faults that have nothing to be said about them but their name. */
export const faultNames = [
  /** The store cannot be reached: `unavailable`, `applied: 'no'`. */
  'refused',
  /** The call is done and its answer is lost: `unavailable`, `applied: 'maybe'`. */
  'applied',
  /** The answer is lost and nothing was done; the caller cannot tell it from `applied`. */
  'lost',
  /** As `lost`, but the call is done later: when `land` is called, or by itself after a while. */
  'late',
  /** Never answers, and does nothing. */
  'hangs',
  /** Never answers, but is done. */
  'hangs_applied',
  /** Done and answered, after a while. */
  'slow',
  /** What is stored cannot be read: `corrupt`. */
  'corrupt',
  /** What a driver may throw that is none of our errors; not done. */
  'foreign',
  /** The store is back at an older record, one save before the latest; the call then goes through. */
  'rolled_back',
] as const;

export type FaultName = (typeof faultNames)[number];

/** What goes wrong with one call. */
export type Fault =
  | FaultName
  /** Late, and landing by itself after this time. */
  | { readonly lateMs: number }
  | { readonly slowMs: number }
  /** Back by so many saves. */
  | { readonly rolledBack: number }
  /** Fails with this code; not done. */
  | { readonly code: ErrorCode }
  /** Throws this; not done. */
  | { readonly throws: unknown }
  /** Something that happens just before the call, which then goes through: a delete, another writer. */
  | (() => Promise<unknown>);

/** Under which name a fault is counted. */
export type FaultKind = FaultName | 'error' | 'event';

export function kindOf(fault: Fault): FaultKind {
  if (typeof fault === 'string') return fault;
  if (typeof fault === 'function') return 'event';
  if ('lateMs' in fault) return 'late';
  if ('slowMs' in fault) return 'slow';
  if ('rolledBack' in fault) return 'rolled_back';
  return 'code' in fault ? 'error' : 'foreign';
}
