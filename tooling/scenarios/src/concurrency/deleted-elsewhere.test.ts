import { startProxy } from '@agent-state/services';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { openStore } from '../open-store.ts';
import { newThread, sharedStores, startCompany } from './holders.ts';
import { type Holder, startHolder } from './start-holder.ts';

const heartbeatMs = 300;
const gone = { found: false, tombstone: expect.any(String) };

describe.each(sharedStores)('on $name, a thread that another process deletes', (shared) => {
  const company = startCompany(shared, 1);

  it.each([
    ['a model call', { place: 'think', turn: { calls: ['work'], held: true }, ran: [] }],
    ['a tool', { place: 'hold', turn: { calls: ['hold', 'work'] }, ran: ['hold'] }],
  ] as const)('[E8] during %s stays deleted, and its run stops', async (_during, { place, turn, ran }) => {
    const { holders, store, threads } = company();
    const [owner] = holders as [Holder];
    const threadId = newThread();
    const turns = [turn, { says: 'Never said.' }];
    const running = owner.begin({ threadId, input: 'Go', turns, options: { heartbeatMs } });
    await running.at(place);
    await threads.delete(threadId);
    const deleted = await store.load(threadId);
    expect(deleted).toMatchObject(gone);
    expect(await running.ended).toMatchObject({ outcome: 'deleted', ran, ranLate: [], warnings: [] });
    running.release();
    const next = await owner.begin({ threadId, turns }).ended;
    expect(next).toMatchObject({ outcome: 'not_found', ran: [] });
    expect(await store.load(threadId)).toEqual(deleted);
  });
});

const redisUrl = inject('redisUrl');

describe.skipIf(redisUrl === undefined)('on redis, a thread that another process deletes', () => {
  it('[E8] while its owner goes on in memory stays deleted, and its run stops when the store is back', async () => {
    const url = new URL(String(redisUrl));
    const store = await openStore('redis', url.href);
    onTestFinished(() => store.close());
    const wire = await startProxy(Number(url.port));
    onTestFinished(() => wire.stop());
    url.port = String(wire.port);
    const owner = await startHolder('redis', url.href);
    onTestFinished(() => owner.stop());
    const threadId = newThread();
    const turns = [{ calls: ['hold', 'work'] }, { says: 'Never said.' }];
    const options = { heartbeatMs, storeCallMs: 1_000, storeBudgetMs: 1_400 };
    const running = owner.begin({ threadId, input: 'Go', turns, options });
    await running.at('hold');
    await wire.refuse();
    await running.at('volatile');
    await store.delete(threadId);
    const deleted = await store.load(threadId);
    expect(deleted).toMatchObject(gone);
    await wire.pass();
    const ended = await running.ended;
    expect(ended).toMatchObject({ outcome: 'deleted', ran: ['hold'], warnings: ['unavailable', 'deleted'] });
    expect(ended.events).not.toContain('diverged');
    running.release();
    expect(await owner.begin({ threadId, turns }).ended).toMatchObject({ outcome: 'not_found', ran: [] });
    expect(await store.load(threadId)).toEqual(deleted);
  });
});
