import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import type { ErrorDetails } from '../protocol/errors.ts';
import { user } from '../testing/samples.ts';
import { createTextStore } from '../testing/text-store.ts';
import { createVirtualRuntime } from '../testing/virtual-runtime.ts';
import type { Fault } from './fault.ts';
import { createFaultyCheckpointer, type FaultyOptions } from './faulty-checkpointer.ts';

const one = { state: { history: [user('one')] } };

function setUp(options: FaultyOptions = {}) {
  const runtime = createVirtualRuntime();
  const inner = defineCheckpointer(createTextStore(), runtime);
  const faulty = createFaultyCheckpointer(inner, { runtime, ...options });
  const stored = async () => (await inner.load('t')).found;
  return { runtime, inner, faulty, stored };
}

/** How a save went: its error, or 'saved'. */
const outcome = (saving: Promise<unknown>) =>
  saving.then(
    () => 'saved',
    ({ code, applied }: ErrorDetails & { code: string }) => [code, applied],
  );

describe('a faulty checkpointer', () => {
  it('does what the one inside does, where nothing is to go wrong', async () => {
    const { faulty, inner } = setUp();
    const position = await faulty.save('t', one);
    expect(await inner.load('t')).toMatchObject(position);
    expect(await faulty.peek('t')).toMatchObject({ found: true });
    expect(await faulty.steps('t')).toEqual([]);
    await faulty.delete('t');
    expect(await faulty.load('t')).toMatchObject({ found: false });
    expect([faulty.name, faulty.capabilities]).toEqual([inner.name, inner.capabilities]);
    await faulty.close();
    await expect(inner.load('t')).rejects.toMatchObject({ code: 'closed' });
  });

  it.each<[Fault, unknown, boolean]>([
    ['refused', ['unavailable', 'no'], false],
    ['applied', ['unavailable', 'maybe'], true],
    ['lost', ['unavailable', 'maybe'], false],
    ['late', ['unavailable', 'maybe'], false],
    ['corrupt', ['corrupt', undefined], false],
    ['foreign', ['ECONNRESET', undefined], false],
    [{ code: 'denied' }, ['denied', undefined], false],
    [{ throws: { code: 'of a driver' } }, ['of a driver', undefined], false],
    ['rolled_back', 'saved', true],
  ])('that meets %j is told so, and what is stored is as it says', async (fault, expected, isStored) => {
    const { faulty, stored } = setUp();
    faulty.next('save', fault);
    expect(await outcome(faulty.save('t', one))).toEqual(expected);
    expect(await stored()).toBe(isStored);
    expect(await outcome(faulty.save('other', one))).toBe('saved');
  });

  it('hangs for good, having done the call or not', async () => {
    const { faulty, inner, runtime } = setUp();
    faulty.next('save', 'hangs', 'hangs_applied');
    const saves = ['t', 'u'].map((threadId) => faulty.save(threadId, one));
    await expect(runtime.until(Promise.race(saves))).rejects.toThrow('Nothing is left');
    expect((await inner.load('t')).found).toBe(false);
    expect((await inner.load('u')).found).toBe(true);
  });

  it('is slow by the time of its runtime', async () => {
    const { faulty, runtime } = setUp();
    faulty.next('load', { slowMs: 70 }, 'slow');
    await runtime.until(faulty.load('t'));
    expect(runtime.monotonic()).toBe(70);
    await runtime.until(faulty.load('t'));
    expect(runtime.monotonic()).toBe(1070);
  });

  it('lands what was late when it is told to, or after its time, and says whether it was admitted', async () => {
    const { faulty, inner, runtime } = setUp();
    const create = { ...one, base: { found: false, tombstone: null } } as const;
    faulty.next('save', 'late', 'late', { lateMs: 50 });
    for (const threadId of ['t', 't', 'u']) await outcome(faulty.save(threadId, create));
    await runtime.advance(49);
    expect((await inner.load('u')).found).toBe(false);
    await runtime.advance(1);
    expect((await inner.load('u')).found).toBe(true);
    faulty.next('delete', { lateMs: 50 });
    await outcome(faulty.delete('u'));
    expect(await faulty.land()).toEqual([true, false, true]);
    expect([await faulty.land(), runtime.pending('all')]).toEqual([[], 0]);
  });

  it('lands, and goes back to, what was handed over, whatever became of it since', async () => {
    const { faulty, inner } = setUp();
    const state = { history: [user('one')] };
    faulty.next('save', 'late');
    await outcome(faulty.save('t', { state }));
    state.history.push(user('two'));
    await faulty.land();
    expect(await inner.load('t')).toMatchObject({ state: { history: [user('one')] } });
    await faulty.save('t', { state });
    state.history.push(user('three'));
    await faulty.save('t', { state });
    await faulty.rollBack('t');
    expect(await inner.load('t')).toMatchObject({ state: { history: [user('one'), user('two')] } });
  });

  it('leaves it to the one inside to say what cannot be saved, and when it was', async () => {
    const { faulty, inner, runtime } = setUp();
    const state = { history: [], variables: { at: new Date(0) } };
    const saved = await outcome(faulty.save('t', { state }));
    expect([saved, await outcome(inner.save('t', { state }))]).toEqual([saved, saved]);
    expect(await faulty.save('t', one)).toMatchObject({ updatedAt: new Date(runtime.now()).toISOString() });
  });

  it('lets happen what a test wants to happen just before a call', async () => {
    const { faulty, inner } = setUp();
    const base = await faulty.save('t', one);
    faulty.next('save', () => inner.delete('t'));
    expect(await outcome(faulty.save('t', { ...one, base }))).toEqual(['deleted', undefined]);
  });

  it('gives each call of a kind the next fault of that kind', async () => {
    const { faulty } = setUp();
    faulty.next('save', 'fine');
    faulty.next('save', 'refused');
    faulty.next('delete', 'refused');
    expect(await outcome(faulty.save('t', one))).toBe('saved');
    expect(await outcome(faulty.delete('t'))).toEqual(['unavailable', 'no']);
    expect(await outcome(faulty.save('t', one))).toEqual(['unavailable', 'no']);
  });

  it('is down for every call until it is up, and keeps its script for then', async () => {
    const { faulty } = setUp();
    faulty.next('save', { code: 'denied' });
    faulty.down();
    const calls = [faulty.save('t', one), faulty.load('t'), faulty.peek('t'), faulty.delete('t'), faulty.steps('t')];
    for (const call of calls) expect(await outcome(call)).toEqual(['unavailable', 'no']);
    faulty.up();
    expect(await outcome(faulty.save('t', one))).toEqual(['denied', undefined]);
  });

  it('counts what was met, and tells every call', async () => {
    const { faulty } = setUp();
    faulty.next('save', 'refused', 'rolled_back', { code: 'denied' }, async () => {});
    for (let save = 0; save < 5; save += 1) await outcome(faulty.save('t', one));
    const { refused, rolled_back, error, event, late } = faulty.injected;
    // There was nothing that the store could have been rolled back to.
    expect({ refused, rolled_back, error, event, late }).toEqual({
      refused: 1,
      rolled_back: 0,
      error: 1,
      event: 1,
      late: 0,
    });
    expect(faulty.calls).toEqual(Array.from({ length: 5 }, () => ({ call: 'save', threadId: 't' })));
  });

  it('passes on that a client is to be made anew', () => {
    let resets = 0;
    const reset = () => {
      resets += 1;
    };
    const store = { ...createTextStore(), reset };
    const faulty = createFaultyCheckpointer(defineCheckpointer(store));
    faulty.reset();
    expect([faulty.resets, resets]).toEqual([1, 1]);
  });
});

describe('a faulty checkpointer refuses what would let a test pass for nothing', () => {
  const typo = (text: RegExp) => expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(text) });

  it.each<[string, unknown]>([
    ['no such option', { rate: { lost: 0.5 } }],
    ['a fault that there is not', { rates: { lots: 0.5 } }],
    ['rates that are a number', { rates: 0.5 }],
    ['rates that are null', { rates: null }],
    ['a seed that is text', { rates: { lost: 0.5 }, seed: 'one' }],
    ['a time that is text', { longestMs: '1000' }],
  ])('%s', (_, options) => {
    const { inner } = setUp();
    expect(() => createFaultyCheckpointer(inner, options as FaultyOptions)).toThrow();
  });

  it('a store that is none', () => {
    expect(() => createFaultyCheckpointer({} as never)).toThrow(expect.objectContaining({ path: 'checkpointer' }));
  });

  it.each<[string, unknown]>([
    ['saves', 'lost'],
    ['reset', 'lost'],
    ['toString', 'lost'],
    ['save', 'losst'],
    ['save', 'down'],
    ['save', null],
    ['save', 7],
    ['save', {}],
    ['save', { lateMS: 5 }],
    ['save', { slowMs: '5' }],
    ['save', { rolledBack: 0 }],
    ['save', { code: 'conflct' }],
  ])('a call %j, or a fault %j, that there is not', (call, fault) => {
    const { faulty } = setUp();
    expect(() => faulty.next(call as never, fault as never)).toThrow(TypeError);
  });

  it('all that it was told at once, where one of it is misspelt', async () => {
    const { faulty } = setUp();
    expect(() => faulty.next('save', 'lost', 'losst' as never)).toThrow(typo(/losst.*lost/));
    expect(await outcome(faulty.save('t', one))).toBe('saved');
  });

  it('an outage of a kind that there is not', async () => {
    const { faulty } = setUp();
    expect(() => faulty.down('hang' as never)).toThrow(typo(/hang.*hangs/));
    expect(await outcome(faulty.save('t', one))).toBe('saved');
  });
});
