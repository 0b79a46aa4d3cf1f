import { memoryUsage } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { createAgentFactory, createScriptedModel } from '@agent-state/core';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { collectGarbage } from '@agent-state/services';
import { expect, it } from 'vitest';

function heap(): number {
  collectGarbage();
  return memoryUsage().heapUsed;
}

it('[S-MEM-02] 5,000 threads of 20 KB that were deleted take no memory but for their tombstones', async () => {
  const checkpointer = createMemoryCheckpointer();
  async function comeAndGo(first: number, last: number): Promise<void> {
    for (let number = first; number < last; number += 1) {
      const content = `${number}`.padEnd(20_000, '.');
      await checkpointer.save(`thread ${number}`, { state: { history: [{ role: 'user', content }] } });
      await checkpointer.delete(`thread ${number}`);
    }
  }
  await comeAndGo(0, 500);
  const before = heap();
  await comeAndGo(500, 5_500);
  // 100 MB came and went; a tombstone is an id and a mark.
  expect(heap() - before).toBeLessThan(6_000_000);
});

it('3,000 agents without a store that nobody has any more take no memory', async () => {
  const factory = createAgentFactory({
    profiles: { bot: { name: 'bot' } },
    defaultProfile: 'bot',
    models: { m: createScriptedModel([{ content: 'Hello.' }]) },
    defaultModel: 'm',
  });
  async function comeAndGo(agents: number): Promise<void> {
    for (let number = 0; number < agents; number += 1) {
      await factory.create().run(`${number}`.padEnd(20_000, '.'));
    }
    // Signals are kept for the turn of the event loop in which they were looked at.
    await setImmediate();
  }
  await comeAndGo(300);
  const before = heap();
  await comeAndGo(3_000);
  // 60 MB were said to them.
  expect(heap() - before).toBeLessThan(6_000_000);
  await factory.close();
});
