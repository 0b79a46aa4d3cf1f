import { describe, expect, it } from 'vitest';
import { sleep } from '../../protocol/runtime.ts';
import { createVirtualRuntime } from '../../testing/virtual-runtime.ts';
import { newThread } from '../record/transitions.ts';
import { createHold, type Hold, update } from './hold.ts';
import { createHub } from './hub.ts';

function setting(stores = true) {
  const runtime = createVirtualRuntime();
  const hub = createHub(runtime, stores);
  const hold = (threadId: string, more: Partial<Hold> = {}): Hold => {
    const fresh = () => newThread({ profile: 'p' }, '2026-11-29T10:00:00Z');
    const made = Object.assign(createHold(threadId, { found: false, tombstone: null }, fresh, 0), more);
    hub.holds.set(threadId, made);
    return made;
  };
  return { runtime, hub, hold };
}

const unsaved = (hold: Hold) => update(hold, (state) => state);

describe('waiting until a hub has settled', () => {
  it('ends at once where nothing is held', async () => {
    const { runtime, hub } = setting();
    await hub.settled(5_000);
    expect(runtime.monotonic()).toBe(0);
  });

  it('waits for a run, and for what is not stored, and no longer than it may', async () => {
    const { runtime, hub, hold } = setting();
    const held = hold('t');
    unsaved(held);
    await runtime.until(hub.settled(1_000));
    expect(runtime.monotonic()).toBe(1_000);
    runtime.after(300, () => {
      held.savedVersion = held.version;
    });
    await runtime.until(hub.settled(1_000));
    expect(runtime.monotonic()).toBeLessThan(1_400);
  });

  it('of one thread does not wait for another', async () => {
    const { runtime, hub, hold } = setting();
    unsaved(hold('other'));
    await hub.settled(1_000, 't');
    expect(runtime.monotonic()).toBe(0);
  });

  it('wakes the probes', async () => {
    const { runtime, hub, hold } = setting();
    let woken = 0;
    const wakeProbe = () => {
      woken += 1;
    };
    unsaved(hold('t', { wakeProbe }));
    await runtime.until(hub.settled(100));
    expect(woken).toBeGreaterThan(0);
  });

  it('does not wait for a store where there is none', async () => {
    const { runtime, hub, hold } = setting(false);
    unsaved(hold('t'));
    await hub.settled(5_000);
    expect(runtime.monotonic()).toBe(0);
  });
});

describe('a hub that is closed', () => {
  it('takes no further runs', async () => {
    const { hub } = setting();
    await hub.close(0);
    await expect(hub.enqueue('t', async () => {})).rejects.toMatchObject({ code: 'closed', threadId: 't' });
  });

  it('lets what is queued end within its time, and refuses what did not come to its turn', async () => {
    const { runtime, hub } = setting();
    const jobs = [1, 2, 3].map((job) => hub.enqueue('t', () => sleep(runtime, 40).then(() => job)));
    const closing = hub.close(60);
    const outcomes = await runtime.until(Promise.allSettled(jobs));
    await runtime.until(closing);
    expect(outcomes).toMatchObject([{ value: 1 }, { value: 2 }, { reason: { code: 'closed' } }]);
    expect(runtime.monotonic()).toBe(80);
  });

  it('stops what is still at work, and hands out what is not stored', async () => {
    const { runtime, hub, hold } = setting();
    const working = hold('working', { running: true });
    unsaved(working);
    hold('stored', { running: true });
    const closing = hub.close(100);
    expect(await runtime.until(closing)).toEqual([{ threadId: 'working', state: working.state }]);
    expect(working.halt.signal.reason).toMatchObject({ code: 'closed' });
    expect(working.stopped).toMatchObject({ code: 'closed' });
  });
});
