import { describe, expect, it } from 'vitest';
import { answers, asks, doneCall, openCall, runRecord, toolCall, user } from '../testing/samples.ts';
import type { Absence, CheckpointWrite } from './checkpointer.ts';
import type { Position } from './position.ts';
import { type Base, positionAfter, prepare } from './prepare.ts';

const now = Date.UTC(2026, 10, 29, 10);
const nothing: Absence = { found: false, tombstone: null };
const limits = { maxMessageBytes: 1_000, maxStateBytes: Number.POSITIVE_INFINITY };

const base: Position = {
  etag: 'e1',
  revision: 7,
  life: { born: 'b1', after: 't0' },
  generation: 2,
  length: 2,
  steps: 3,
  ahead: [],
  ttl: { ttlMs: 60_000, pausedTtlMs: 90_000 },
  updatedAt: '2026-11-29T09:00:00.000Z',
};

const write = (more: Partial<CheckpointWrite> & { on?: Base; within?: typeof limits }) => {
  const { on = base, within = limits, ...rest } = more;
  return prepare({ state: { history: [user('a'), user('b'), user('c')] }, ...rest }, on, 'w2', now, within);
};
const sent = (prepared: ReturnType<typeof prepare>) => prepared.messages.map(({ index }) => index);
const argument = (path: string) => expect.objectContaining({ code: 'invalid_argument', path });

describe('an append', () => {
  it('sends what is new, on the record as it was', () => {
    const prepared = write({ appendedFrom: 2 });
    expect(sent(prepared)).toEqual([2]);
    expect(prepared).toMatchObject({ expected: 'e1', expectedLength: 2, expectedLife: base.life, replaces: false });
    expect(prepared.control).toEqual({
      layout: 1,
      etag: 'w2',
      revision: 8,
      life: base.life,
      generation: 2,
      length: 3,
      steps: 3,
      ttl: base.ttl,
    });
  });

  it('to an empty history is an append', () => {
    expect(write({ on: { ...base, length: 0 } })).toMatchObject({ replaces: false, control: { generation: 2 } });
  });

  it.each([1, 3, -1, 1.5, Number.NaN])(
    'from %d, which is neither the stored length nor 0, is refused',
    (appendedFrom) => {
      expect(() => write({ appendedFrom })).toThrow(argument('appendedFrom'));
    },
  );

  it('to nothing is refused, and so is a history that lacks what is stored', () => {
    expect(() => write({ on: nothing, appendedFrom: 2 })).toThrow(argument('appendedFrom'));
    expect(() => write({ appendedFrom: 2, state: { history: [user('a')] } })).toThrow(argument('appendedFrom'));
  });
});

describe('a replacing save', () => {
  it('sends the whole history and begins a generation', () => {
    const prepared = write({ appendedFrom: 0 });
    expect(sent(prepared)).toEqual([0, 1, 2]);
    expect(prepared).toMatchObject({ replaces: true, expectedLength: 2, control: { generation: 3, life: base.life } });
  });

  it('is what a save is that does not say', () => {
    expect(write({}).replaces).toBe(true);
  });

  it('sends results ahead again', () => {
    const state = { history: [user('a')], run: runRecord({ calls: [doneCall('c', 'x')] }) };
    expect(sent(write({ state, on: { ...base, length: 1, ahead: [1] }, appendedFrom: 0 }))).toEqual([0, 1]);
  });
});

describe('a create', () => {
  it('begins a life over the tombstone that was seen', () => {
    const prepared = write({ on: { found: false, tombstone: 't1' } });
    expect(prepared).toMatchObject({ expected: null, expectedLength: 0, expectedLife: null, replaces: true });
    expect(prepared.control).toMatchObject({ revision: 1, life: { born: 'w2', after: 't1' }, generation: 0, steps: 0 });
    expect(prepared.control.ttl).toEqual({ ttlMs: null, pausedTtlMs: null });
  });

  it('of a record that vanished keeps its generation', () => {
    expect(write({ on: { ...nothing, generation: 4 } }).control.generation).toBe(4);
  });

  it('sends the variables whatever was said of them', () => {
    expect(write({ on: nothing, variablesChanged: false }).variables?.text).toBe('1{}');
  });
});

describe('results ahead of their turn', () => {
  const history = [user('a'), asks(toolCall('c1'), toolCall('c2'))];
  const half = { history, run: runRecord({ phase: 'act', calls: [openCall('c1'), doneCall('c2', 'two')] }) };
  const acted = { history: [...history, answers('c1', 'one'), answers('c2', 'two')], run: runRecord() };

  it('are sent where their message will be, and no further', () => {
    const prepared = write({ state: half, appendedFrom: 2 });
    expect(sent(prepared)).toEqual([3]);
    expect(prepared.control.length).toBe(2);
    expect(positionAfter(prepared).ahead).toEqual([3]);
  });

  it('are not sent again, neither as results nor as messages', () => {
    const after = { ...base, ahead: [3] };
    expect(sent(write({ state: half, on: after, appendedFrom: 2 }))).toEqual([]);
    expect(sent(write({ state: acted, on: after, appendedFrom: 2 }))).toEqual([2]);
  });

  it('cannot be passed over: a history that goes on with something else has to be replaced', () => {
    const state = { history: [...history, user('never mind')] };
    expect(() => write({ state, on: { ...base, ahead: [2] }, appendedFrom: 2 })).toThrow(argument('history[2]'));
    expect(sent(write({ state, on: { ...base, ahead: [2] }, appendedFrom: 0 }))).toEqual([0, 1, 2]);
  });
});

describe('variables', () => {
  it('are left out where they did not change', () => {
    expect(write({ variablesChanged: false }).variables).toBeUndefined();
    expect(write({ variablesChanged: true }).variables).toBeDefined();
    expect(write({}).variables).toBeDefined();
  });
});

describe('step records', () => {
  const step = { step: 1, phase: 'think', at: '2026-11-29T10:00:00Z', run_id: 'r', history_length: 3 } as const;

  it('follow those that are stored, with the revision and generation of this save', () => {
    const prepared = write({ steps: [step, { ...step, step: 2 }], appendedFrom: 2 });
    expect(prepared.steps.map(({ index }) => index)).toEqual([3, 4]);
    expect(prepared.steps[0]?.value).toMatchObject({ ...step, revision: 8, generation: 2 });
    expect(prepared.control.steps).toBe(5);
  });

  it('that could not be read back are refused', () => {
    const steps = [{ ...step, at: 'yesterday' }];
    expect(() => write({ steps })).toThrow(expect.objectContaining({ code: 'invalid_state', path: 'steps[0].at' }));
    expect(() => write({ steps: [{ ...step, variables: { a: 1n } } as never] })).toThrow(
      expect.objectContaining({ code: 'not_serializable', path: 'steps[0].variables.a' }),
    );
  });
});

describe('updated_at', () => {
  const at = (updated_at: string | undefined) =>
    write({ state: { history: [], ...(updated_at ? { updated_at } : {}) } }).state.updated_at;

  it('is now where nothing is said', () => {
    expect(at(undefined)).toBe('2026-11-29T10:00:00.000Z');
  });

  it('never goes backwards within a thread, compared as an instant', () => {
    expect(at('2026-11-29T08:59:59.999Z')).toBe(base.updatedAt);
    expect(at('2026-11-29T10:30:00+02:00')).toBe(base.updatedAt);
    expect(at('2026-11-29T10:00:00+01:00')).toBe('2026-11-29T10:00:00+01:00');
  });

  it('of a new thread may be any', () => {
    expect(write({ on: nothing, state: { history: [], updated_at: '1999-01-01T00:00:00Z' } }).state.updated_at).toBe(
      '1999-01-01T00:00:00Z',
    );
  });

  it('is the same in the state, in the head and in the position', () => {
    const prepared = write({ state: { history: [], updated_at: '1999-01-01T00:00:00Z' } });
    expect(prepared.head.value.updated_at).toBe(base.updatedAt);
    expect(positionAfter(prepared).updatedAt).toBe(base.updatedAt);
  });
});

describe('the time to live', () => {
  it('stays what it is, and is replaced where the save says so', () => {
    expect(write({}).control.ttl).toEqual(base.ttl);
    expect(write({ ttl: { ttlMs: null, pausedTtlMs: 5 } }).control.ttl).toEqual({ ttlMs: null, pausedTtlMs: 5 });
  });

  it('is the longer one while the thread is paused', () => {
    expect(write({}).expiresInMs).toBe(60_000);
    expect(write({ state: { history: [], run: runRecord({ phase: 'paused' }) } }).expiresInMs).toBe(90_000);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '60', undefined])('of %s is refused', (ttlMs) => {
    expect(() => write({ ttl: { ttlMs, pausedTtlMs: null } as never })).toThrow(argument('ttl.ttlMs'));
  });

  it('is both of them: a half one could not be read back', () => {
    expect(() => write({ ttl: { ttlMs: 1 } as never })).toThrow(argument('ttl.pausedTtlMs'));
  });
});

describe('what is too large is refused with its path, its limit and its size', () => {
  const ofBytes = (bytes: number) => user('x'.repeat(bytes - JSON.stringify(user('')).length));

  it('a message past the limit, by a byte', () => {
    expect(() => write({ state: { history: [ofBytes(1_000)] } })).not.toThrow();
    expect(() => write({ state: { history: [user('a'), ofBytes(1_001)] } })).toThrow(
      expect.objectContaining({ code: 'too_large', path: 'history[1]', limitBytes: 1_000, actualBytes: 1_001 }),
    );
  });

  it('counted in bytes of UTF-8', () => {
    expect(() => write({ state: { history: [user('é'.repeat(490))] } })).toThrow(
      expect.objectContaining({ code: 'too_large' }),
    );
  });

  it('but not a large one that is stored already', () => {
    expect(() => write({ state: { history: [ofBytes(5_000), user('b'), user('c')] }, appendedFrom: 2 })).not.toThrow();
  });

  it('variables past a million bytes', () => {
    const variables = (bytes: number) => ({ v: 'x'.repeat(bytes - '{"v":""}'.length) });
    expect(() => write({ state: { history: [], variables: variables(1_000_000) } })).not.toThrow();
    expect(() => write({ state: { history: [], variables: variables(1_000_001) } })).toThrow(
      expect.objectContaining({ path: 'variables', actualBytes: 1_000_001 }),
    );
  });

  it('a head, or a whole state, past its limit', () => {
    expect(() => write({ state: { history: [], note: 'x'.repeat(1_000) } as never })).toThrow(
      expect.objectContaining({ path: 'state' }),
    );
    const whole = { maxMessageBytes: 1_000, maxStateBytes: 500 };
    expect(() => write({ within: whole, state: { history: [ofBytes(500)] } })).toThrow(
      expect.objectContaining({ path: 'state', limitBytes: 500 }),
    );
  });
});
