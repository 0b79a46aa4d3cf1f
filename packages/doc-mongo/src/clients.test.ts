import { user } from '@agent-state/conformance/fixtures';
import { type Checkpointer, isAgentStateError } from '@agent-state/core';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, test } from 'vitest';
import { content, within } from '../test/errors.ts';
import { absent, append, mongoUrl, ownDatabase, sharedUrl, state, texts, withSettings } from '../test/support.ts';
import { threadOfTest } from '../test/thread.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

describe.skipIf(mongoUrl === undefined)('clients', () => {
  const url = sharedUrl;
  const { database, client, threads } = ownDatabase();
  afterAll(() => Promise.all(opened.map((store) => store.close())));
  const opened: Checkpointer[] = [];
  const open = (where: string) => {
    const store = createMongoCheckpointer({ url: where, database });
    opened.push(store);
    return store;
  };
  const thread = threadOfTest();
  const create = (store: Checkpointer) => store.save(thread.id, { state: state([user(content)]), base: absent });

  test('fifty first calls at once wait for one connection, and all are stored', async () => {
    const store = open(url);
    const ids = Array.from({ length: 50 }, (_, index) => `${thread.id}/${index}`);
    await Promise.all(ids.map((id) => store.save(id, { state: state(texts(1)), base: absent })));
    expect(await threads.countDocuments({ _id: { $in: ids } })).toBe(50);
  });

  test.each([
    ['[C13]', 'w=0&journal=false'],
    ['[C13]', 'w=1'],
    ['[C11]', 'readPreference=secondary&readConcernLevel=available'],
    ['', 'retryWrites=true'],
  ])('%s a url that asks for %s is served as any other', async (_row, settings) => {
    const store = open(withSettings(url, settings));
    const base = await create(store);
    await append(store, thread.id, base, [user(content), user('acknowledged')]);
    expect(await store.load(thread.id)).toMatchObject({ found: true, revision: 2 });
  });

  describe('a client that was given', () => {
    test.each([
      ['BigInt', { useBigInt64: true, raw: true }],
      [
        'wrappers',
        { promoteValues: false, promoteLongs: false, fieldsAsRaw: { history: true }, ignoreUndefined: true },
      ],
    ])(
      'for %s and unacknowledged writes is used as it has to be, not closed, and left alone by reset',
      async (_for, bson) => {
        const given = new MongoClient(url, { ...bson, writeConcern: { w: 0 } });
        const store = createMongoCheckpointer({ client: given, database });
        await create(store);
        store.reset();
        await expect(create(store)).rejects.toMatchObject({ code: 'conflict' });
        expect(await store.load(thread.id)).toMatchObject({ found: true, revision: 1, state: state([user(content)]) });
        await store.close();
        expect(await given.db('admin').command({ ping: 1 })).toBeTruthy();
        await given.close();
      },
    );

    test('and was closed by its owner is an outage or is used again, but nothing hangs', async () => {
      const given = new MongoClient(url);
      const store = createMongoCheckpointer({ client: given, database });
      await create(store);
      await given.close();
      const outcome = await within(3_000, () => Promise.allSettled([store.load(thread.id)]));
      expect(outcome[0].status === 'fulfilled' || isAgentStateError(outcome[0].reason, 'unavailable')).toBe(true);
      await given.close();
    });
  });

  test('clients of a function are made anew after a reset, and closed with the checkpointer', async () => {
    const made: MongoClient[] = [];
    const closed: MongoClient[] = [];
    const createClient = () => {
      const next = new MongoClient(url);
      next.on('topologyClosed', () => closed.push(next));
      made.push(next);
      return next;
    };
    const store = createMongoCheckpointer({ createClient, database });
    await create(store);
    store.reset();
    await store.load(thread.id);
    await store.close();
    expect(made).toHaveLength(2);
    await expect.poll(() => new Set(closed)).toEqual(new Set(made));
  });

  test('close leaves no connection that would keep a process alive', async () => {
    const connections = async () => {
      const pipeline = [{ $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName: 'closing' } }];
      return (await client.db('admin').aggregate(pipeline).toArray()).length;
    };
    const store = open(withSettings(url, 'appName=closing'));
    await create(store);
    expect(await connections()).toBeGreaterThan(0);
    await store.close();
    await store.close();
    await expect.poll(connections).toBe(0);
  });
});
