import { describe, expect, it } from 'vitest';
import type { Absence } from '../../protocol/checkpointer.ts';
import type { ConflictState, Life, Position } from '../../protocol/position.ts';
import { type Knowledge, type KnownWrite, type Met, verdictOf } from './conflict.ts';

const life: Life = { born: 'b1', after: 't0' };

const record = (etag: string, more: Partial<Position> = {}): ConflictState => ({
  etag,
  revision: 5,
  life,
  generation: 0,
  length: 4,
  steps: 0,
  ahead: [],
  ttl: { ttlMs: null, pausedTtlMs: null },
  updatedAt: '2026-11-29T10:00:00Z',
  claim: null,
  epoch: 1,
  ownerWrite: null,
  requests: [],
  ...more,
});
const absent = (tombstone: string | null): Absence => ({ found: false, tombstone });
const write = (version: number, acknowledged: boolean): KnownWrite => ({ version, steps: 0, acknowledged });

/** An owner: its claim w1 and its write w2 are acknowledged, w3 is on its way. */
const owner: Knowledge = {
  base: record('w2'),
  life,
  writes: new Map([
    ['loaded', write(0, true)],
    ['w1', write(1, true)],
    ['w2', write(2, true)],
    ['w3', write(3, false)],
  ]),
  claims: new Set(['w1']),
  owns: true,
  volatile: false,
  mayRevive: true,
};
/** A claimer: it loaded a record, and its claim is not acknowledged. */
const claimer: Knowledge = {
  ...owner,
  base: record('loaded'),
  writes: new Map([
    ['loaded', write(0, true)],
    ['w1', write(1, false)],
  ]),
  owns: false,
};
/** A creator: it loaded the absence of a thread over the tombstone t0. */
const creator: Knowledge = {
  ...claimer,
  base: absent('t0'),
  life: { born: null, after: 't0' },
  writes: new Map([['w1', write(1, false)]]),
};
/** One whose load failed. */
const blind: Knowledge = {
  ...claimer,
  base: 'unknown',
  life: { born: null, after: null },
  writes: new Map(),
  volatile: true,
};

const kind = (met: Met, mine: Knowledge) => verdictOf(met, mine).kind;
const anotherLife = (after: string | null) => record('other', { life: { born: 'b2', after } });

describe('when two meet', () => {
  it.each<[string, Met, Knowledge, string]>([
    ['a tombstone that was not there: deleted', absent('t1'), owner, 'deleted'],
    ['another life over another tombstone: deleted', anotherLife('t1'), owner, 'deleted'],
    ['deleted, whoever asks', absent('t1'), claimer, 'deleted'],
    ['deleted, also before it was created', absent('t1'), creator, 'deleted'],
    ['deleted and created anew before it was created', anotherLife('t1'), creator, 'deleted'],
    ['deleted, also for what is volatile', absent('t1'), { ...owner, volatile: true }, 'deleted'],
    ['a write of mine that was not acknowledged: it landed', record('w3'), owner, 'landed'],
    ['a claim of mine that was not acknowledged: it landed', record('w1'), claimer, 'landed'],
    [
      'a create of mine that was not acknowledged: it landed',
      record('w1', { life: { born: 'w1', after: 't0' } }),
      creator,
      'landed',
    ],
    ['a write of mine older than acknowledged: rolled back', record('w1'), owner, 'rolled_back'],
    ['the record before my claim, after it was acknowledged: rolled back', record('loaded'), owner, 'rolled_back'],
    ['what I build on: unchanged', record('w2'), owner, 'unchanged'],
    ['nothing, where I build on nothing: unchanged', absent(null), creator, 'unchanged'],
    ['only the tombstone that I create over: unchanged', absent('t0'), creator, 'unchanged'],
    ['somebody else`s, and my claim was never acknowledged: again', record('other'), claimer, 'again'],
    [
      'somebody else was first to create it: again',
      record('other', { life: { born: 'other', after: 't0' } }),
      creator,
      'again',
    ],
    ['gone, and my claim was never acknowledged: again', absent(null), claimer, 'again'],
    [
      'somebody else`s, and steps in memory were built on it: diverged',
      record('other'),
      { ...claimer, volatile: true },
      'diverged',
    ],
    [
      'somebody else`s, and steps of the owner are in memory: diverged',
      record('other'),
      { ...owner, volatile: true },
      'diverged',
    ],
    ['somebody else`s: taken over', record('other'), owner, 'taken_over'],
    ['another life that no delete explains: taken over', anotherLife(null), owner, 'taken_over'],
    ['another life over the same tombstone: taken over', anotherLife('t0'), owner, 'taken_over'],
    ['gone without a delete: vanished', absent(null), owner, 'vanished'],
    ['gone, and the tombstone that my life began over is there still: vanished', absent('t0'), owner, 'vanished'],
    [
      'gone with steps in memory that were built on it: vanished',
      absent(null),
      { ...claimer, volatile: true },
      'vanished',
    ],
    [
      'gone, and its time was up or deletes leave no mark: deleted',
      absent(null),
      { ...owner, mayRevive: false },
      'deleted',
    ],
    ['after a failed load, there is a thread: diverged', record('other'), blind, 'diverged'],
    ['after a failed load, there is none: unchanged', absent(null), blind, 'unchanged'],
    ['after a failed load, it was deleted: deleted', absent('t1'), blind, 'deleted'],
  ])('%s', (_, met, mine, verdict) => {
    expect(kind(met, mine)).toBe(verdict);
  });

  it('one of my writes comes before everything that its record says', () => {
    const odd = record('w3', { life: { born: 'b2', after: 't1' } });
    expect(kind(odd, owner)).toBe('landed');
  });

  it('what landed or was rolled back to is told with its write and its place', () => {
    const met = record('w1', { length: 2 });
    expect(verdictOf(met, owner)).toEqual({ kind: 'rolled_back', write: write(1, true), position: met });
  });
});
