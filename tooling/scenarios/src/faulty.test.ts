import { randomUUID } from 'node:crypto';
import type { Position } from '@agent-state/core';
import { createFaultyCheckpointer } from '@agent-state/core/testing';
import { describe, expect, it } from 'vitest';
import { opened, stores } from './stores.ts';

const history = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }) as const);

describe.each(stores)('a faulty checkpointer on %s', (_, open) => {
  it('rolls the store back to the very record of then, from which one goes on', async () => {
    const store = opened(open);
    const faulty = createFaultyCheckpointer(store);
    const threadId = randomUUID();
    let base: Position = await faulty.save(threadId, { state: { history: history.slice(0, 1) } });
    const records = [await store.load(threadId)];
    for (const length of [2, 3]) {
      const state = { history: history.slice(0, length), variables: { length } };
      base = await faulty.save(threadId, { state, base, appendedFrom: length - 1 });
      records.push(await store.load(threadId));
    }
    faulty.next('load', { rolledBack: 2 });
    const [first] = records;
    expect(await faulty.load(threadId)).toEqual(first);
    expect(await opened(open).load(threadId)).toEqual(first);
    if (first?.found) await faulty.save(threadId, { state: { history }, base: first, appendedFrom: 1 });
    expect(await store.load(threadId)).toMatchObject({ state: { history }, revision: 2, generation: 0 });
  });

  it('answers for writes that were done and not acknowledged, by their ids', async () => {
    const store = opened(open);
    const faulty = createFaultyCheckpointer(store);
    const threadId = randomUUID();
    faulty.next('save', 'lost', 'applied');
    const save = (writeId: string) => faulty.save(threadId, { state: { history }, writeId });
    await expect(save('first')).rejects.toMatchObject({ code: 'unavailable', applied: 'maybe' });
    expect((await store.load(threadId)).found).toBe(false);
    await expect(save('second')).rejects.toMatchObject({ code: 'unavailable', applied: 'maybe' });
    expect(await store.load(threadId)).toMatchObject({ etag: 'second', state: { history } });
  });
});
