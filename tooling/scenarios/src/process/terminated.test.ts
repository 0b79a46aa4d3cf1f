import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createThreads } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { lines } from '../agent.ts';
import type { Order } from './child.ts';
import { eachStore, folder } from './grounds.ts';
import { goOn } from './round.ts';
import { victimsOn } from './victims.ts';

/** What shells say of a process that ended by SIGTERM. */
const terminated = 143;

describe.each(eachStore)('a process on $name that is asked to terminate', ({ name, url, open }) => {
  async function hold(order: Pick<Order, 'scenario' | 'graceMs'>, calls: number) {
    const threadId = randomUUID();
    const ledger = join(folder, threadId);
    const victim = await victimsOn(name, String(url)).start({ ...order, threadId, ledger, begin: 'play', holds: true });
    await victim.holding(calls);
    return { threadId, victim, store: open() };
  }

  it.skipIf(url === undefined)(
    '[A8] with tools that do not end: it lets go of the run and ends within its grace time, and another process goes on at once',
    { timeout: 60_000 },
    async () => {
      const graceMs = 1_500;
      const { threadId, victim, store } = await hold({ scenario: 'parallel', graceMs }, 5);
      victim.release('put 2');
      const asked = performance.now();
      victim.signal('SIGTERM');
      expect(await victim.end).toEqual({ killed: false, code: terminated, word: 'closed' });
      expect(performance.now() - asked).toBeLessThan(graceMs + 3_000);
      const state = await createThreads(store).get(threadId);
      expect(state?.run).toMatchObject({ phase: 'act', owner: null, error: null });
      // Whom nobody keeps waiting needs not take anything over.
      const options = { agents: { onBusy: 'throw' } } as const;
      const fates = await goOn(store, { scenario: 'parallel', threadId, by: 'play', options });
      expect(fates.map(({ before, after }) => before + after)).toEqual([1, 1, 1, 1, 1]);
    },
  );

  it.skipIf(url === undefined)(
    '[A8] with a tool that ends in time: it brings the run to its answer, takes no further input, and another process does',
    { timeout: 60_000 },
    async () => {
      const { threadId, victim, store } = await hold({ scenario: 'twice', graceMs: 20_000 }, 1);
      victim.signal('SIGTERM');
      victim.release('put 1');
      expect(await victim.end).toEqual({ killed: false, code: terminated, word: 'closed' });
      const state = await createThreads(store).get(threadId);
      expect(lines(state?.history)?.at(-1)).toBe('assistant: First done.');
      expect(state?.run).toMatchObject({ phase: 'done', owner: null });
      const options = { agents: { onBusy: 'throw' } } as const;
      await goOn(store, { scenario: 'twice', threadId, by: 'play', options });
    },
  );
});
