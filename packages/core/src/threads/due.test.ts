import { describe, expect, it } from 'vitest';
import type { Checkpointer } from '../protocol/checkpointer.ts';
import { defineCheckpointer } from '../protocol/define.ts';
import { createWorld } from '../testing/agents.ts';
import { runRecord, user } from '../testing/samples.ts';
import { createThreads } from './threads.ts';

const ten = '2026-11-29T10:00:00.000Z';

describe('threads that are due', () => {
  function setting() {
    const world = createWorld({ query: true });
    const checkpointer = defineCheckpointer(world.store, world.runtime);
    const asked: string[] = [];
    const watched = new Proxy(checkpointer, {
      get(target, key: keyof Checkpointer) {
        asked.push(key);
        return target[key];
      },
    });
    const pause = (threadId: string, wake_at: string, updated_at = ten) => {
      const run = runRecord({ phase: 'paused', pause: { kind: 'request', wake_at } });
      return checkpointer.save(threadId, { state: { history: [user('later')], updated_at, run } });
    };
    return { ...world, threads: createThreads(watched, { runtime: world.runtime }), pause, asked };
  }

  it('are those whose time is the given one or earlier; without one, the time of the clock', async () => {
    const { threads, pause, runtime } = setting();
    await pause('ten', ten);
    await pause('just after', '2026-11-29T10:00:00.001Z');
    expect(await threads.due(new Date(Date.parse(ten) - 1))).toEqual([]);
    expect(await threads.due(new Date(ten))).toEqual(['ten']);
    expect(await threads.due(new Date(Date.parse(ten) + 1))).toEqual(['just after', 'ten']);
    await pause('by the clock', new Date(runtime.now() + 1_000).toISOString());
    expect(await threads.due()).not.toContain('by the clock');
    await runtime.advance(1_000);
    expect(await threads.due()).toContain('by the clock');
  });

  it('are asked for, a thousand at a time; nothing else is listed or read', async () => {
    const { threads, pause, asked } = setting();
    const minute = (index: number) => new Date(Date.parse(ten) + index * 60_000).toISOString();
    for (let index = 0; index < 2_001; index += 1) await pause(`${index}`, ten, minute(index));
    asked.length = 0;
    const due = await threads.due(new Date(ten));
    expect(due).toEqual(Array.from({ length: 2_001 }, (_, index) => `${2_000 - index}`));
    expect(asked.filter((key) => key !== 'name')).toEqual(['query', 'query', 'query']);
  });
});
