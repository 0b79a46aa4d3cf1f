import { describe, expect, it } from 'vitest';
import type { ThreadHead } from '../state/schema.ts';
import { runRecord } from '../testing/samples.ts';
import { admits, refusalOf } from './admit.ts';
import type { Glimpse } from './checkpointer.ts';
import type { Life } from './position.ts';
import type { Control, StoredAbsence, StoreWrite } from './store.ts';

const absent = (tombstone: string | null): StoredAbsence => ({ found: false, tombstone });

function control(more: Partial<Control> = {}): Control {
  return {
    layout: 1,
    etag: 'e1',
    revision: 1,
    life: { born: 'b1', after: null },
    generation: 0,
    length: 2,
    steps: 0,
    ttl: { ttlMs: null, pausedTtlMs: null },
    ...more,
  };
}

const found = (more: Partial<Control> = {}) => ({ found: true as const, control: control(more) });

/** A save on the record with etag e1, length 2. */
const save = (
  life: Life = { born: 'b1', after: null },
): Pick<StoreWrite, 'expected' | 'expectedLength' | 'expectedLife' | 'control'> => ({
  expected: 'e1',
  expectedLength: 2,
  expectedLife: life,
  control: control({ etag: 'e2', life }),
});

/** A create by a writer that saw this tombstone. */
const create = (after: string | null): ReturnType<typeof save> => ({
  expected: null,
  expectedLength: 0,
  expectedLife: null,
  control: control({ etag: 'n1', life: { born: 'n1', after } }),
});

describe('a save is admitted', () => {
  it.each([
    ['on the record that it builds on', found(), save(), true],
    ['not on another record', found({ etag: 'e9' }), save(), false],
    ['not on another length', found({ length: 3 }), save(), false],
    ['not on another layout', found({ layout: 2 }), save(), false],
    ['not where nothing is', absent(null), save(), false],
    ['not on a tombstone', absent('t1'), save(), false],
  ])('%s', (_, there, write, admitted) => {
    expect(admits(there, write)).toBe(admitted);
  });
});

describe('a create is admitted', () => {
  it.each([
    ['where nothing is', absent(null), create(null), true],
    ['over the tombstone that it saw', absent('t1'), create('t1'), true],
    ['where that tombstone has expired', absent(null), create('t1'), true],
    ['not over a tombstone that it did not see', absent('t1'), create(null), false],
    ['not over another tombstone', absent('t2'), create('t1'), false],
    ['not over a record', found(), create(null), false],
  ])('%s', (_, there, write, admitted) => {
    expect(admits(there, write)).toBe(admitted);
  });
});

describe('a refusal is', () => {
  const head: ThreadHead = {
    schema_version: 1,
    agent_profile: '',
    current_step: 0,
    updated_at: '2026-11-29T10:00:00Z',
    run: runRecord({ claim: 'c9', epoch: 4, owner_write: 'w9', requests: ['r1'] }),
  };
  const glimpse = (more: Partial<Control>): Glimpse => {
    const { layout: _layout, ...position } = control(more);
    return { found: true, ...position, ahead: [], updatedAt: head.updated_at, head };
  };
  const codeOf = (there: Glimpse | StoredAbsence, write: ReturnType<typeof save>) => refusalOf('t', there, write).code;

  it.each([
    ['deleted: the record is gone and a tombstone is there', absent('t1'), save(), 'deleted'],
    [
      'deleted: a later tombstone than the one its life began over',
      absent('t2'),
      save({ born: 'b1', after: 't1' }),
      'deleted',
    ],
    ['deleted: a create over a tombstone that it did not see', absent('t1'), create(null), 'deleted'],
    ['deleted: a create over another tombstone', absent('t2'), create('t1'), 'deleted'],
    [
      'deleted: another life, begun over a tombstone',
      glimpse({ etag: 'e9', life: { born: 'b9', after: 't1' } }),
      save(),
      'deleted',
    ],
    [
      'deleted: a create against a life begun over a later tombstone',
      glimpse({ etag: 'e9', life: { born: 'b9', after: 't2' } }),
      create('t1'),
      'deleted',
    ],
    ['a conflict: gone without a delete', absent(null), save(), 'conflict'],
    [
      'a conflict: gone, and only the tombstone that its life began over is there',
      absent('t1'),
      save({ born: 'b1', after: 't1' }),
      'conflict',
    ],
    ['a conflict: the same life, another write', glimpse({ etag: 'e9' }), save(), 'conflict'],
    [
      'a conflict: two creates over the same tombstone',
      glimpse({ etag: 'e9', life: { born: 'b9', after: 't1' } }),
      create('t1'),
      'conflict',
    ],
    [
      'a conflict: two creates over nothing',
      glimpse({ etag: 'e9', life: { born: 'b9', after: null } }),
      create(null),
      'conflict',
    ],
    [
      'a conflict: another life that no delete explains',
      glimpse({ etag: 'e9', life: { born: 'b9', after: null } }),
      save(),
      'conflict',
    ],
    ['corrupt: the very record, with another length', glimpse({ length: 3 }), save(), 'corrupt'],
  ])('%s', (_, there, write, code) => {
    expect(codeOf(there, write)).toBe(code);
  });

  it('a conflict that says what is there now, and shows nothing of it', () => {
    const { current, threadId } = refusalOf('t', glimpse({ etag: 'e9', generation: 3 }), save());
    expect(threadId).toBe('t');
    expect(current).toMatchObject({
      etag: 'e9',
      generation: 3,
      claim: 'c9',
      epoch: 4,
      ownerWrite: 'w9',
      requests: ['r1'],
    });
    expect(current).not.toHaveProperty('head');
    expect(refusalOf('t', absent(null), save()).current).toBeNull();
  });
});
