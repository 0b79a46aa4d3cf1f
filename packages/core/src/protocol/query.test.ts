import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toState } from '../state/encode.ts';
import type { RunPhase, ThreadState } from '../state/schema.ts';
import { answers, asks, runRecord, toolCall } from '../testing/samples.ts';
import type { ThreadQuery, ThreadSummary } from './checkpointer.ts';
import {
  compareSummaries,
  matches,
  maxPage,
  parseQuery,
  parseStepsOptions,
  summaryOf,
  toPage,
  wakeAtOf,
} from './query.ts';

const invalid = (path: string) => expect.objectContaining({ code: 'invalid_argument', path });
const summary = (threadId: string, updatedAt: string): ThreadSummary => ({
  threadId,
  agentProfile: '',
  currentStep: 0,
  updatedAt,
  phase: 'idle',
  revision: 1,
  length: 0,
});

describe('a query', () => {
  it('of nothing is every thread, a hundred a page', () => {
    expect(parseQuery({})).toEqual({ limit: 100 });
  });

  it('has instants in milliseconds, whatever their zone; a date is its first instant in UTC', () => {
    const { updatedFrom, updatedBefore } = parseQuery({
      updatedFrom: '2026-11-29T11:00:00+01:00',
      updatedBefore: '2026-11-30',
    });
    expect(updatedFrom).toBe(Date.UTC(2026, 10, 29, 10));
    expect(updatedBefore).toBe(Date.UTC(2026, 10, 30));
  });

  it('has the time to be due at in the form in which it is stored', () => {
    expect(parseQuery({ dueAt: '2026-11-29T11:00:00+01:00' }).dueAt).toBe('2026-11-29T10:00:00.000Z');
    expect(parseQuery({ dueAt: '2026-11-30' }).dueAt).toBe('2026-11-30T00:00:00.000Z');
  });

  it.each<[string, object, string]>([
    ['an unknown condition', { tool: 'x' }, 'tool'],
    ['limit 0', { limit: 0 }, 'limit'],
    ['half a limit', { limit: 1.5 }, 'limit'],
    ['a limit past the largest', { limit: maxPage + 1 }, 'limit'],
    ['a limit as text', { limit: '5' }, 'limit'],
    ['a number as profile', { agentProfile: 7 }, 'agentProfile'],
    ['an operator as profile', { agentProfile: { $ne: null } }, 'agentProfile'],
    ['a pattern as text', { text: /x/ }, 'text'],
    ['a number as tool', { toolName: 1 }, 'toolName'],
    ['a time without a zone', { updatedFrom: '2026-11-29T10:00:00' }, 'updatedFrom'],
    ['a time in words', { updatedFrom: 'Nov 29 2026' }, 'updatedFrom'],
    ['a day that there is not', { updatedFrom: '2026-02-30' }, 'updatedFrom'],
    ['a number as time', { updatedBefore: 5 }, 'updatedBefore'],
    ['a Date', { updatedBefore: new Date(0) }, 'updatedBefore'],
    ['a day that is not', { updatedBefore: '2026-13-40' }, 'updatedBefore'],
    ['a time of the year 10000', { dueAt: '9999-12-31T23:59:59-01:00' }, 'dueAt'],
    ['a Date to be due at', { dueAt: new Date(0) }, 'dueAt'],
    ['a phase that there is not', { phase: 'asleep' }, 'phase'],
    ['no phase', { phase: null }, 'phase'],
    ['an operator as phase', { phase: { $ne: 'idle' } }, 'phase'],
    ['an operator as variable', { variables: { age: { $gt: 5 } } }, 'variables.age'],
    ['an undefined variable', { variables: { age: undefined } }, 'variables.age'],
    ['an array of variables', { variables: ['a'] }, 'variables'],
    ['null variables', { variables: null }, 'variables'],
    ['a cursor that is not ours', { cursor: 'abc' }, 'cursor'],
    ['a cursor of the wrong kind', { cursor: { $ne: null } }, 'cursor'],
    ['a cursor that reads as something else', { cursor: Buffer.from('["a",1]').toString('base64url') }, 'cursor'],
    ['null as cursor', { cursor: null }, 'cursor'],
  ])('with %s is refused', (_, query, path) => {
    expect(() => parseQuery(query as ThreadQuery)).toThrow(invalid(path));
  });
});

describe('a page', () => {
  it('ends with a cursor where there may be more, and the cursor is the place of its last thread', () => {
    const threads = [summary('a', '2026-11-29T10:00:00Z'), summary('b é', '2026-11-29T09:00:00Z')];
    expect(toPage(threads, 3)).toEqual({ threads });
    expect(toPage([], 1)).toEqual({ threads: [] });
    const { cursor } = toPage(threads, 2);
    expect(parseQuery({ cursor: cursor as string }).after).toEqual({
      updatedAt: Date.UTC(2026, 10, 29, 9),
      threadId: 'b é',
    });
  });

  it('after page, whatever their size, they are all threads in order, each once', () => {
    const threads = fc.uniqueArray(
      fc.record({ threadId: fc.string({ unit: 'grapheme', minLength: 1 }), hour: fc.integer({ min: 0, max: 3 }) }),
      { selector: ({ threadId }) => threadId },
    );
    fc.assert(
      fc.property(threads, fc.integer({ min: 1, max: 4 }), (made, limit) => {
        const all = made
          .map(({ threadId, hour }) => ({
            threadId,
            state: toState({ history: [], updated_at: `2026-11-29T0${hour}:00:00Z` }, 0),
          }))
          .map(({ threadId, state }) => ({ state, ...summaryOf(threadId, state, 1) }))
          .sort(compareSummaries);
        const seen: string[] = [];
        for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
          const query = parseQuery({ limit, ...(cursor ? { cursor } : {}) });
          const page = toPage(
            all.filter(({ threadId, state }) => matches(threadId, state, query)).slice(0, limit),
            limit,
          );
          seen.push(...page.threads.map(({ threadId }) => threadId));
          cursor = page.cursor;
        }
        expect(seen).toEqual(all.map(({ threadId }) => threadId));
      }),
    );
  });

  it('is ordered latest first, compared as instants; of the same instant by the bytes of the id', () => {
    const sorted = [
      summary('z', '2026-11-29T10:00:00Z'),
      summary('\uffff', '2026-11-29T11:00:00+01:00'),
      summary('😀', '2026-11-29T10:00:00.000Z'),
      summary('late', '2026-11-29T10:00:00.001Z'),
    ].sort(compareSummaries);
    expect(sorted.map(({ threadId }) => threadId)).toEqual(['late', 'z', '\uffff', '😀']);
  });
});

describe('a thread matches', () => {
  const state = toState(
    {
      agent_profile: 'bot',
      current_step: 3,
      updated_at: '2026-11-29T10:00:00Z',
      variables: { user: 'Alice', age: 5, vip: false, gone: null, $gt: 1 },
      history: [
        { role: 'user', content: [{ type: 'text', text: 'Where is Order 7?' }, { type: 'image' }] },
        asks(toolCall('c', 'look_up')),
        answers('c', 'shipped (a.*b)', 'look_up'),
        answers('d', 'x', 'orphan'),
      ],
    },
    0,
  );
  const found = (query: ThreadQuery) => matches('t', state, parseQuery(query));

  it.each<[ThreadQuery, boolean]>([
    [{}, true],
    [{ agentProfile: 'bot' }, true],
    [{ agentProfile: 'Bot' }, false],
    [{ updatedFrom: '2026-11-29T10:00:00Z' }, true],
    [{ updatedBefore: '2026-11-29T10:00:00Z' }, false],
    [{ variables: { user: 'Alice', age: 5, vip: false, gone: null } }, true],
    [{ variables: { age: '5' } }, false],
    [{ variables: { vip: 0 } }, false],
    [{ variables: { none: null } }, false],
    [{ variables: { $gt: 1 } }, true],
    [{ variables: { toString: 'x' } as never }, false],
    [{ toolName: 'look_up' }, true],
    [{ toolName: 'orphan' }, true],
    [{ toolName: 'look' }, false],
    [{ text: 'Order 7' }, true],
    [{ text: 'order 7' }, false],
    [{ text: 'a.*b' }, true],
    [{ text: 'a..b' }, false],
    [{ agentProfile: 'bot', text: 'nowhere' }, false],
  ])('%j: %s', (query, expected) => {
    expect(found(query)).toBe(expected);
  });

  const pausedUntil = (wake_at?: string, phase: RunPhase = 'paused') =>
    toState({ history: [], run: runRecord({ phase, pause: { kind: 'request', ...(wake_at ? { wake_at } : {}) } }) }, 0);
  const ten = pausedUntil('2026-11-29T10:00:00.000Z');

  const isFound = (thread: ThreadState, query: ThreadQuery) => matches('t', thread, parseQuery(query));

  it('in the phase of its run; idle where no agent has run', () => {
    expect(isFound(ten, { phase: 'paused' })).toBe(true);
    expect(isFound(ten, { phase: 'idle' })).toBe(false);
    expect(isFound(state, { phase: 'idle' })).toBe(true);
    expect(isFound(state, { phase: 'think' })).toBe(false);
  });

  it('as due from the end of its pause on, that instant included', () => {
    expect(isFound(ten, { dueAt: '2026-11-29T09:59:59.999Z' })).toBe(false);
    expect(isFound(ten, { dueAt: '2026-11-29T10:00:00Z' })).toBe(true);
    expect(isFound(ten, { dueAt: '2026-11-30' })).toBe(true);
    expect(isFound(ten, { dueAt: '2026-11-30', phase: 'act' })).toBe(false);
  });

  it('as due never where its pause has no end, or it is not paused', () => {
    for (const thread of [pausedUntil(), pausedUntil('2026-11-29T10:00:00.000Z', 'think'), state]) {
      expect(isFound(thread, { dueAt: '9999-12-31' })).toBe(false);
    }
  });

  it('and is shown without its content', () => {
    expect(summaryOf('t', state, 4)).toEqual({
      threadId: 't',
      agentProfile: 'bot',
      currentStep: 3,
      updatedAt: '2026-11-29T10:00:00Z',
      phase: 'idle',
      revision: 4,
      length: 4,
    });
  });

  it('and is shown with the time until which it is paused, and without any other', () => {
    expect(summaryOf('t', ten, 1)).toMatchObject({ phase: 'paused', wakeAt: '2026-11-29T10:00:00.000Z' });
    for (const other of [state, pausedUntil(), pausedUntil('2026-11-29T10:00:00.000Z', 'done')]) {
      expect(summaryOf('t', other, 1)).not.toHaveProperty('wakeAt');
    }
  });
});

describe('a page of steps', () => {
  it('is from the first on, as many as a page may have', () => {
    expect(parseStepsOptions({})).toEqual({ from: 0, limit: maxPage });
  });

  it.each<[object, string]>([
    [{ from: -1 }, 'from'],
    [{ from: 0.5 }, 'from'],
    [{ from: '1' }, 'from'],
    [{ limit: 0 }, 'limit'],
    [{ limit: maxPage + 1 }, 'limit'],
  ])('%j is refused', (options, path) => {
    expect(() => parseStepsOptions(options)).toThrow(invalid(path));
  });
});

it('a thread is paused until a time only where it is paused, and its pause has one', () => {
  const pause = { kind: 'request', wake_at: '2026-11-29T10:00:00.000Z' } as const;
  expect(wakeAtOf({ run: runRecord({ phase: 'paused', pause }) })).toBe(pause.wake_at);
  expect(wakeAtOf({ run: runRecord({ phase: 'paused', pause: { kind: 'request' } }) })).toBeUndefined();
  expect(wakeAtOf({ run: runRecord({ phase: 'paused', pause: null }) })).toBeUndefined();
  expect(wakeAtOf({ run: runRecord({ phase: 'think', pause }) })).toBeUndefined();
  expect(wakeAtOf({})).toBeUndefined();
});
