import { type Checkpointer, createAgentFactory, createThreads, defineTool, type Tool } from '@agent-state/core';
import { createFaultyCheckpointer } from '@agent-state/core/testing';
import { createMemoryCheckpointer } from '@agent-state/kv-memory';
import { describe, expect, test, vi } from 'vitest';
import { runExample } from './run-example.ts';
import { script } from './script.ts';

describe('operations', () => {
  const later = (execute: Tool['execute']) =>
    defineTool({ name: 'later', description: 'Goes on later.', parameters: { type: 'object' }, execute });
  const bot = (checkpointer: Checkpointer, tool: Tool) =>
    createAgentFactory({
      profiles: { bot: { name: 'bot', tools: ['later'] } },
      defaultProfile: 'bot',
      models: { main: script('later', {}, 'It is later.') },
      defaultModel: 'main',
      tools: [tool],
      checkpointer,
      heartbeatMs: 20,
    });
  const lastOf = async (checkpointer: Checkpointer, threadId: string) =>
    (await createThreads(checkpointer).get(threadId))?.history.at(-1)?.content;

  test('the timer goes on with what is due', async () => {
    const checkpointer = createMemoryCheckpointer();
    const factory = bot(
      checkpointer,
      later((_, { pause }) => pause({ wakeAt: new Date(0) })),
    );
    expect(await factory.create({ threadId: 'a' }).run('Later.')).toMatchObject({ status: 'paused' });
    await runExample('docs/operations.md', '## Timers', { factory, checkpointer });
    expect(await lastOf(checkpointer, 'a')).toBe('It is later.');
  });

  test('what is left after a restart is gone on with, and what works is let be', async () => {
    const inner = createMemoryCheckpointer();
    const store = createFaultyCheckpointer(inner);
    const dying = bot(
      store,
      later(() => {
        store.down('hangs');
        return new Promise(() => {});
      }),
    );
    const died = dying.create({ threadId: 'died' }).run('Later.');
    await vi.waitFor(() => expect(store.injected.hangs).toBeGreaterThan(0));
    const ended = new Promise((resolve) => setTimeout(resolve, 200, 'at last'));
    const alive = bot(
      inner,
      later(() => ended),
    );
    const lives = alive.create({ threadId: 'lives' }).run('Later.');
    const factory = bot(
      inner,
      later(() => 'now'),
    );
    await runExample('docs/operations.md', '## After a restart', {
      factory,
      checkpointer: inner,
    });
    expect(await lastOf(inner, 'died')).toBe('It is later.');
    expect(await lives).toMatchObject({ status: 'done', answer: 'It is later.' });
    await dying.close({ deadlineMs: 0 });
    await expect(died).rejects.toThrow();
  });
});
