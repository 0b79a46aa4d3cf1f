import { randomUUID } from 'node:crypto';
import { createThreads } from '@agent-state/core';
import { describe, expect, it } from 'vitest';
import { calls, lines, says, startProcess, tool } from './agent.ts';
import { missingStores, opened, stores } from './stores.ts';

it('every store is here, unless its server is missing', () => {
  expect(stores).toHaveLength(5 - missingStores);
});

describe.each(stores)('on %s, a thread that is deleted', (_name, openStore) => {
  const open = () => opened(openStore);

  const history = async (threadId: string) => lines((await createThreads(open()).get(threadId))?.history);

  it('and run again at once is a fresh thread', async () => {
    const threadId = randomUUID();
    const agent = startProcess(open(), [says('One.')]).agent(threadId);
    await agent.run('First');
    await agent.checkpointer.delete(threadId);
    expect(await agent.run('Second')).toMatchObject({ answer: 'One.', durable: true });
    expect(await history(threadId)).toEqual(['system: Be helpful.', 'user: Second', 'assistant: One.']);
  });

  it('[S-DEL-02] under a run stops it, and what the run saves afterwards is refused', async () => {
    const threadId = randomUUID();
    const other = open();
    const forget = tool('forget', () => other.delete(threadId));
    const agent = startProcess(open(), [calls('forget', {}), says('Never said.')], [forget]).agent(threadId);
    await expect(agent.run('Forget me')).rejects.toMatchObject({ code: 'deleted' });
    expect(await history(threadId)).toBeUndefined();
  });

  it('under a run, and begun anew by another process, keeps the new life alone', async () => {
    const threadId = randomUUID();
    const other = open();
    const forget = tool('forget', async () => {
      await other.delete(threadId);
      await startProcess(other, [says('A new life.')])
        .agent(threadId)
        .run('Hello');
    });
    const agent = startProcess(open(), [calls('forget', {}), says('Never said.')], [forget]).agent(threadId);
    await expect(agent.run('Forget me')).rejects.toMatchObject({ code: 'deleted' });
    expect(await history(threadId)).toEqual(['system: Be helpful.', 'user: Hello', 'assistant: A new life.']);
  });

  it('[S-DEL-02] is not brought back by a save or a create from before', async () => {
    const threadId = randomUUID();
    const store = open();
    const nothing = await store.load(threadId);
    const state = { history: [{ role: 'user' as const, content: 'Hello' }] };
    const base = await store.save(threadId, { state, base: nothing });
    await open().delete(threadId);
    await expect(store.save(threadId, { state, base })).rejects.toMatchObject({ code: 'deleted' });
    await expect(store.save(threadId, { state, base: nothing })).rejects.toMatchObject({ code: 'deleted' });
    expect(await history(threadId)).toBeUndefined();
  });
});
