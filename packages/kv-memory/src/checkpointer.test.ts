import { describe, expect, it } from 'vitest';
import { createMemoryCheckpointer } from './checkpointer.ts';
import { createMemoryData } from './data.ts';

const day = 24 * 3_600_000;
const hello = { role: 'user', content: 'hello' } as const;

describe('the memory checkpointer', () => {
  it('keeps a message by reference: what was loaded is what was saved', async () => {
    const store = createMemoryCheckpointer();
    const base = await store.save('t', { state: { history: [hello] }, base: await store.load('t') });
    const first = await store.load('t');
    const second = await store.load('t');
    if (!first.found || !second.found) throw new Error('not found');
    expect(second.state.history[0]).toBe(first.state.history[0]);
    const history = [...first.state.history, hello];
    await store.save('t', { state: { ...first.state, history }, base, appendedFrom: 1 });
    const third = await store.load('t');
    expect(third.found && third.state.history[0]).toBe(first.state.history[0]);
    expect(third.found && third.state.history.length).toBe(2);
    expect(first.state.history.length).toBe(1);
  });

  it('[S-TTL-03] expires by its clock, steps included, after 30 days as after one', async () => {
    let now = 0;
    const store = createMemoryCheckpointer({ now: () => now });
    const ttl = { ttlMs: 30 * day, pausedTtlMs: null };
    const step = { step: 1, phase: 'think', at: '2026-01-01T00:00:00Z', run_id: 'r', history_length: 1 } as const;
    await store.save('t', { state: { history: [hello] }, steps: [step], ttl });
    now = 30 * day - 1;
    expect((await store.load('t')).found).toBe(true);
    now = 30 * day;
    expect(await store.load('t')).toEqual({ found: false, tombstone: null });
    expect(await store.steps('t')).toEqual([]);
    expect((await store.list()).threads).toEqual([]);
  });

  it('keeps a tombstone for seven days, also under a new life', async () => {
    let now = 0;
    const store = createMemoryCheckpointer({ now: () => now });
    await store.delete('t');
    const { tombstone } = (await store.load('t')) as { tombstone: string };
    await store.save('t', { state: { history: [] }, ttl: { ttlMs: 1_000, pausedTtlMs: null } });
    now = 2_000;
    expect(await store.load('t')).toEqual({ found: false, tombstone });
    now = 7 * day;
    expect(await store.load('t')).toEqual({ found: false, tombstone: null });
  });

  it('[S-PER-04] lists what lives in one pass over 5,000 threads that have expired, and lets go of those', async () => {
    let now = 0;
    const data = createMemoryData();
    const store = createMemoryCheckpointer({ data, now: () => now });
    const { threads } = data.namespace('agent_checkpoints');
    for (let number = 0; number < 10; number += 1)
      await store.save(`living ${number}`, { state: { history: [hello] } });
    const thread = threads.get('living 0', now);
    if (!thread) throw new Error('not found');
    for (let number = 0; number < 5_000; number += 1) threads.set(`expires ${number}`, thread, 1_000, now);
    now = 1_000;
    const begun = performance.now();
    const listed = await store.list();
    expect(performance.now() - begun).toBeLessThan(500);
    expect(listed.threads).toHaveLength(10);
    expect(threads.size()).toBe(10);
  });

  it('lets go of what was deleted', async () => {
    const data = createMemoryData();
    const store = createMemoryCheckpointer({ data });
    await store.save('t', { state: { history: [hello] } });
    await store.delete('t');
    expect(data.namespace('agent_checkpoints').threads.size()).toBe(0);
  });

  it('does not hold the text beside the values', async () => {
    const data = createMemoryData();
    const store = createMemoryCheckpointer({ data });
    await store.save('t', { state: { history: [hello], variables: { a: 1 } } });
    const thread = data.namespace('agent_checkpoints').threads.get('t', 0);
    expect(JSON.stringify(thread)).not.toContain('"text"');
  });

  it('shares threads through the data, apart by namespace', async () => {
    const data = createMemoryData();
    const [first, second] = [createMemoryCheckpointer({ data }), createMemoryCheckpointer({ data })];
    const other = createMemoryCheckpointer({ data, namespace: 'other' });
    await first.save('t', { state: { history: [hello] } });
    await first.close();
    expect((await second.load('t')).found).toBe(true);
    expect((await other.load('t')).found).toBe(false);
  });

  it('[S-CFG-06] refuses an option that is misspelt, with those that there are', () => {
    const misspelt = { namespace: 'n', tlt: 60 };
    expect(() => createMemoryCheckpointer(misspelt)).toThrow(/tlt.*namespace/);
  });

  it('refuses an empty namespace when it is made', () => {
    expect(() => createMemoryCheckpointer({ namespace: '' })).toThrow(/namespace/);
  });
});
