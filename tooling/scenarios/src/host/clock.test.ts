import { randomUUID } from 'node:crypto';
import { createThreads, type Runtime, systemRuntime } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { calls, lines, says, startProcess, tool } from '../agent.ts';
import { opened, stores } from '../stores.ts';

const hour = 3_600_000;

/** A clock on the wall that can be set. */
function wallClock(): { readonly runtime: Runtime; readonly set: (aheadMs: number) => void } {
  let aheadMs = 0;
  return {
    runtime: { ...systemRuntime, now: () => systemRuntime.now() + aheadMs },
    set(ms) {
      aheadMs = ms;
    },
  };
}

describe.each(stores)('on %s', (_name, openStore) => {
  const open = () => opened(openStore);

  it('[F3] a clock that jumps back an hour in the middle of a run changes nothing, and updated_at does not go back', async () => {
    const threadId = randomUUID();
    const { runtime, set } = wallClock();
    const store = open();
    const times: string[] = [];
    const note = async () => {
      const found = await store.peek(threadId);
      times.push(found.found ? found.updatedAt : '');
    };
    const jump = tool('jump', async () => {
      await note();
      set(-hour);
      return 'jumped';
    });
    const look = tool('look', async () => {
      await note();
      return 'looked';
    });
    const turns = [calls('jump', {}), calls('look', {}), says('Done.'), says('Still here.')];
    const process = startProcess(store, turns, [jump, look], { runtime });
    const begun = performance.now();
    expect(await process.agent(threadId).run('Go')).toMatchObject({ answer: 'Done.', durable: true });
    await note();
    expect(await process.agent(threadId).run('And?')).toMatchObject({ answer: 'Still here.', durable: true });
    await note();
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(times).toHaveLength(4);
    expect(times).toEqual([...times].sort());
    expect(process.events.map(({ type }) => type)).not.toContain('volatile');
    const state = await createThreads(open()).get(threadId);
    expect(lines(state?.history)?.slice(2)).toEqual([
      'assistant: null',
      'tool: jumped',
      'assistant: null',
      'tool: looked',
      'assistant: Done.',
      'user: And?',
      'assistant: Still here.',
    ]);
    expect(state?.run?.active_ms).toBeGreaterThanOrEqual(0);
    expect(state?.run?.active_ms).toBeLessThan(10_000);
  });

  it('[F3] the later save counts and not the later time: a process an hour behind goes on, one an hour ahead is refused', async () => {
    const threadId = randomUUID();
    const turns = [says('One.'), says('Two.')];
    await startProcess(open(), turns).agent(threadId).run('First');
    const stale = await open().load(threadId);
    const behind = wallClock();
    behind.set(-hour);
    await startProcess(open(), turns, [], { runtime: behind.runtime }).agent(threadId).run('Second');

    const late = new Date(Date.now() + hour).toISOString();
    const state = { history: [{ role: 'user' as const, content: 'from an hour ahead' }], updated_at: late };
    await expect(open().save(threadId, { state, base: stale })).rejects.toMatchObject({ code: 'conflict' });
    const now = await createThreads(open()).get(threadId);
    expect(lines(now?.history)?.slice(1)).toEqual([
      'user: First',
      'assistant: One.',
      'user: Second',
      'assistant: Two.',
    ]);
    expect(now?.updated_at).toBe(stale.found ? stale.updatedAt : undefined);
  });
});
