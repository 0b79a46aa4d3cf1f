import { describe, expect, it } from 'vitest';
import { defineCheckpointer } from '../protocol/define.ts';
import type { Position } from '../protocol/position.ts';
import { asks, doneCall, openCall, runRecord, toolCall, user } from '../testing/samples.ts';
import { createTextStore } from '../testing/text-store.ts';
import { createVirtualRuntime } from '../testing/virtual-runtime.ts';
import { createFaultyCheckpointer } from './faulty-checkpointer.ts';

const history = ['one', 'two', 'three'].map(user);
const step = { step: 1, phase: 'think', at: '2026-01-01T00:00:00.000Z', run_id: 'r', history_length: 1 } as const;

function setUp() {
  const runtime = createVirtualRuntime();
  const inner = defineCheckpointer(createTextStore(), runtime);
  return { runtime, inner, faulty: createFaultyCheckpointer(inner, { runtime }) };
}

describe('a store that is rolled back', () => {
  it('has the very record of then: state, time, etag, revision, generation, length, time to live', async () => {
    const { runtime, inner, faulty } = setUp();
    let base: Position = await faulty.save('t', { state: { history: history.slice(0, 1) } });
    const records = [await inner.load('t')];
    for (const length of [2, 3]) {
      await runtime.advance(1_000);
      const ttl = { ttlMs: length * 1_000, pausedTtlMs: null };
      const write = {
        state: { history: history.slice(0, length), current_step: length },
        base,
        appendedFrom: length - 1,
      };
      base = await faulty.save('t', { ...write, ttl, steps: [{ ...step, step: length }] });
      records.push(await inner.load('t'));
    }
    expect(await faulty.rollBack('t')).toBe(true);
    expect(await inner.load('t')).toEqual(records[1]);
    expect(await faulty.rollBack('t')).toBe(true);
    expect(await inner.load('t')).toEqual(records[0]);
    expect(await faulty.rollBack('t')).toBe(false);
  });

  it('goes back by several saves at once, and on from there', async () => {
    const { inner, faulty } = setUp();
    const first = await faulty.save('t', { state: { history: history.slice(0, 1) } });
    const second = await faulty.save('t', { state: { history: history.slice(0, 2) }, base: first, appendedFrom: 1 });
    await faulty.save('t', { state: { history }, base: second, appendedFrom: 2 });
    faulty.next('load', { rolledBack: 2 });
    expect(await faulty.load('t')).toMatchObject({ etag: first.etag, length: 1 });
    await faulty.save('t', { state: { history }, base: first, appendedFrom: 1 });
    expect(await inner.load('t')).toMatchObject({ state: { history }, revision: 2, generation: 0 });
    expect(await faulty.rollBack('t', 2)).toBe(false);
    expect(faulty.injected.rolled_back).toBe(1);
  });

  it('has results that lay ahead as they were', async () => {
    const { inner, faulty } = setUp();
    const asked = [user('one'), asks(toolCall('a'), toolCall('b'))];
    const withCalls = (...calls: Parameters<typeof openCall>[]) => calls.map((call) => openCall(...call));
    const planned = { history: asked, run: runRecord({ phase: 'act', calls: withCalls(['a'], ['b']) }) };
    const half = { history: asked, run: runRecord({ phase: 'act', calls: [openCall('a'), doneCall('b', 'B')] }) };
    const whole = { ...half, run: runRecord({ phase: 'act', calls: [doneCall('a', 'A'), doneCall('b', 'B')] }) };
    let base = await faulty.save('t', { state: planned });
    base = await faulty.save('t', { state: half, base, appendedFrom: 2 });
    const before = await inner.load('t');
    await faulty.save('t', { state: whole, base, appendedFrom: 2 });
    await faulty.rollBack('t');
    expect(await inner.load('t')).toEqual(before);
  });

  it.each([
    ['the latest record was written by somebody else', 'save'],
    ['the thread was deleted', 'delete'],
    ['the save before was one of a thread that was deleted', 'begin again'],
  ] as const)('is left alone where %s', async (_, what) => {
    const { inner, faulty } = setUp();
    for (const length of [1, 2]) await faulty.save('t', { state: { history: history.slice(0, length) } });
    if (what === 'save') await inner.save('t', { state: { history } });
    else await inner.delete('t');
    if (what === 'begin again') await faulty.save('t', { state: { history } });
    const before = await inner.load('t');
    expect(await faulty.rollBack('t')).toBe(false);
    expect(await inner.load('t')).toEqual(before);
  });
});
