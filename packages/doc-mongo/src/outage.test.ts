import { inspect } from 'node:util';
import { type AgentStateError, type Checkpointer, isAgentStateError, type Position } from '@agent-state/core';
import { type FailCommand, isMissing, startMongo, startProxy } from '@agent-state/services';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { absent, append, collectionsOf, freshDatabase, rawClient, state, texts, user } from '../test/support.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

const secret = 'S3CRET';
const content = 'CONTENT-OF-A-MESSAGE';

const mongo = await startMongo();
if (isMissing(mongo)) test.skip(`outages (${mongo.missing})`);
else {
  const proxy = await startProxy(mongo.port);
  const database = freshDatabase();
  const client = rawClient(mongo.url);
  const { threads } = collectionsOf(client, database);
  const timeouts = { serverSelectionTimeoutMS: 500, connectTimeoutMS: 500, socketTimeoutMS: 500 };
  const direct = `${mongo.url}&appName=tested`;
  const proxied = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const opened: Checkpointer[] = [];
  const open = (url: string, options = {}) => {
    const store = createMongoCheckpointer({ url, database, ...timeouts, ...options });
    opened.push(store);
    return store;
  };
  let threadId = '';
  let count = 0;
  beforeEach(() => {
    count += 1;
    threadId = `thread ${count}`;
  });
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await client.close();
    await proxy.stop();
    await mongo.stop();
  });
  afterEach(async () => {
    mongo.thaw();
    if (!mongo.running()) await mongo.start();
    await proxy.pass();
  });
  const create = (store: Checkpointer) => store.save(threadId, { state: state([user(content)]), base: absent });
  const errorOf = async (call: Promise<unknown>): Promise<AgentStateError> => {
    const error: unknown = await call.then(
      () => new Error('it succeeded'),
      (reason: unknown) => reason,
    );
    expect(isAgentStateError(error), inspect(error)).toBe(true);
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/S3CRET|CONTENT-OF/);
    return error as AgentStateError;
  };
  const within = async <T>(ms: number, call: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await call();
    expect(performance.now() - start).toBeLessThan(ms);
    return result;
  };

  describe('what the server says', () => {
    const store = open(direct);
    const onUpdate = async (data: Partial<FailCommand>, base: Position) => {
      await mongo.failCommand({ failCommands: ['update'], appName: 'tested', ...data });
      return errorOf(append(store, threadId, base, [user(content), user('more')]));
    };

    test.each([
      [10107, 'no'],
      [13435, 'no'],
      [14031, 'no'],
      [91, 'maybe'],
      [11600, 'maybe'],
      [11602, 'maybe'],
      [189, 'maybe'],
    ])('error %i on a save is an outage, applied: %s', async (errorCode, applied) => {
      const base = await create(store);
      expect(await onUpdate({ errorCode }, base)).toMatchObject({ code: 'unavailable', applied });
    });

    test.each([64, 79, 100])('write concern error %i is an outage, and the write may be there', async (code) => {
      const base = await create(store);
      const error = await onUpdate({ writeConcernError: { code, errmsg: content } }, base);
      expect(error).toMatchObject({ code: 'unavailable', applied: 'maybe' });
      expect(await store.peek(threadId)).toMatchObject({ revision: 2 });
    });

    test.each([13, 18, 8000])('error %i is a denial, and no outage', async (errorCode) => {
      const base = await create(store);
      expect(await onUpdate({ errorCode }, base)).toMatchObject({ code: 'denied' });
    });

    test('error 10334 is too large', async () => {
      const base = await create(store);
      expect(await onUpdate({ errorCode: 10334 }, base)).toMatchObject({ code: 'too_large' });
    });

    test('a failed load is an outage, never an absence', async () => {
      await create(store);
      for (const fault of [{ errorCode: 11600 }, { closeConnection: true }]) {
        await mongo.failCommand({ failCommands: ['find'], appName: 'tested', ...fault });
        expect(await errorOf(store.load(threadId))).toMatchObject({ code: 'unavailable', applied: 'no' });
      }
    });
  });

  describe('a lost acknowledgement', () => {
    const isUpdate = (request: Buffer) => request.includes('update\0') && request.includes('control.etag');

    test('says that the write may be there; it is found by its write id', async () => {
      const store = open(proxied);
      const base = await create(store);
      const shot = proxy.swallowReply(isUpdate);
      const saving = store.save(threadId, { state: state(texts(2)), base, appendedFrom: 0, writeId: 'mine' });
      expect(await errorOf(saving)).toMatchObject({ code: 'unavailable', applied: 'maybe' });
      await shot.fired;
      expect(await store.peek(threadId)).toMatchObject({ etag: 'mine', revision: 2 });
    });

    test('is no conflict where the driver sends again by itself', async () => {
      const given = new MongoClient(
        `mongodb://127.0.0.1:${proxy.port}/?directConnection=true&retryWrites=true`,
        timeouts,
      );
      const store = createMongoCheckpointer({ client: given, database });
      const base = await create(store);
      const shot = proxy.swallowReply(isUpdate);
      const position = await append(store, threadId, base, [user(content), user('once')]);
      await shot.fired;
      expect(position.revision).toBe(2);
      const loaded = await store.load(threadId);
      expect(loaded.found && loaded.state.history).toHaveLength(2);
      await given.close();
    });

    test('is no conflict where the same save is sent again, as a server without sessions has it', async () => {
      const store = open(direct);
      const base = await create(store);
      const write = { state: state(texts(2)), base, writeId: 'again' };
      expect(await store.save(threadId, write)).toEqual(await open(direct).save(threadId, write));
    });
  });

  describe('a server that is', () => {
    test('down at the start does not hinder making a checkpointer; calls fail in time, and work once it is up', async () => {
      await proxy.refuse();
      const store = open(proxied);
      const error = await within(2_000, () => errorOf(create(store)));
      expect(error).toMatchObject({ code: 'unavailable', applied: 'no' });
      await proxy.pass();
      expect(await create(store)).toMatchObject({ revision: 1 });
    });

    test('killed fails every call in time, and is used again with its data when it is back', async () => {
      const store = open(direct);
      const base = await create(store);
      await mongo.kill();
      for (const call of [
        () => store.load(threadId),
        () => append(store, threadId, base, texts(2)),
        () => store.delete(threadId),
        () => store.list(),
      ]) {
        expect(await within(2_000, () => errorOf(call()))).toMatchObject({ code: 'unavailable' });
      }
      await mongo.start();
      expect(await append(store, threadId, base, [user(content), user('back')])).toMatchObject({ revision: 2 });
    });

    test('frozen fails in time; the write may land, and its loss or landing is told apart by reading back', async () => {
      const store = open(direct);
      const base = await create(store);
      mongo.freeze();
      const saving = store.save(threadId, {
        state: state([user(content), user('late')]),
        base,
        appendedFrom: 1,
        writeId: 'late',
      });
      const error = await within(2_500, () => errorOf(saving));
      expect(error).toMatchObject({ code: 'unavailable', applied: 'maybe' });
      store.reset();
      mongo.thaw();
      const found = await store.peek(threadId);
      expect([base.etag, 'late']).toContain(found.found && found.etag);
    });

    test('frozen does not hold up close', async () => {
      const store = open(direct);
      await create(store);
      mongo.freeze();
      await within(2_000, () => store.close());
      mongo.thaw();
      expect(await errorOf(store.load(threadId))).toMatchObject({ code: 'closed' });
    });
  });

  test('fifty first calls at once wait for one connection, and all are stored', async () => {
    const store = open(direct);
    const ids = Array.from({ length: 50 }, (_, index) => `${threadId}/${index}`);
    await Promise.all(ids.map((id) => store.save(id, { state: state(texts(1)), base: absent })));
    expect(await threads.countDocuments({ _id: { $in: ids } })).toBe(50);
  });

  test('settings of the url that are weaker are overridden', async () => {
    const store = open(
      `${mongo.url}&w=0&journal=false&readPreference=secondary&readConcernLevel=available&retryWrites=true`,
    );
    const base = await create(store);
    await append(store, threadId, base, [user(content), user('acknowledged')]);
    expect(await store.load(threadId)).toMatchObject({ found: true, revision: 2 });
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
        const given = new MongoClient(mongo.url, { ...bson, writeConcern: { w: 0 } });
        const store = createMongoCheckpointer({ client: given, database });
        await create(store);
        store.reset();
        await expect(create(store)).rejects.toMatchObject({ code: 'conflict' });
        expect(await store.load(threadId)).toMatchObject({ found: true, revision: 1, state: state([user(content)]) });
        await store.close();
        expect(await given.db('admin').command({ ping: 1 })).toBeTruthy();
        await given.close();
      },
    );

    test('and was closed by its owner is an outage or is used again, but nothing hangs', async () => {
      const given = new MongoClient(mongo.url, timeouts);
      const store = createMongoCheckpointer({ client: given, database });
      await create(store);
      await given.close();
      const outcome = await within(3_000, () => Promise.allSettled([store.load(threadId)]));
      expect(outcome[0].status === 'fulfilled' || isAgentStateError(outcome[0].reason, 'unavailable')).toBe(true);
      await given.close();
    });
  });

  test('clients of a function are made anew after a reset, and closed with the checkpointer', async () => {
    const made: MongoClient[] = [];
    const closed: MongoClient[] = [];
    const createClient = () => {
      const next = new MongoClient(mongo.url);
      next.on('topologyClosed', () => closed.push(next));
      made.push(next);
      return next;
    };
    const store = createMongoCheckpointer({ createClient, database });
    await create(store);
    store.reset();
    await store.load(threadId);
    await store.close();
    expect(made).toHaveLength(2);
    await expect.poll(() => new Set(closed)).toEqual(new Set(made));
  });

  test('close leaves no connection that would keep a process alive', async () => {
    const connections = async () => {
      const pipeline = [{ $currentOp: { allUsers: true, idleConnections: true } }, { $match: { appName: 'closing' } }];
      return (await client.db('admin').aggregate(pipeline).toArray()).length;
    };
    const store = open(`${mongo.url}&appName=closing`);
    await create(store);
    expect(await connections()).toBeGreaterThan(0);
    await store.close();
    await store.close();
    await expect.poll(connections).toBe(0);
  });

  test('no error shows a password, whatever is wrong with the url', async () => {
    const urls = [
      `mongodb://user:${secret}@127.0.0.1:1/`,
      `mongodb://user:${secret}@127.0.0.1:${mongo.port}/?authSource=admin`,
      `mongodb://user:${secret}@no.such.host.invalid/`,
    ];
    for (const url of urls) await errorOf(open(url).load(threadId));
    for (const url of [
      `mongodb://user:${secret}@host:port/`,
      `mongodb://user:${secret}@/?x=%`,
      `http://user:${secret}@host/`,
    ]) {
      await errorOf((async () => open(url))());
    }
  });

  test('what somebody else stored under the id is corrupt, and left as it is', async () => {
    const store = open(direct);
    const foreign = [
      { name: 'x' },
      { control: 'x' },
      { control: { layout: 1, etag: 'e' }, history: 'x' },
      { tombstone: 7 },
    ];
    for (const [index, document] of foreign.entries()) {
      const id = `${threadId}/${index}`;
      await threads.insertOne({ _id: id, ...document });
      expect(await errorOf(store.load(id))).toMatchObject({ code: 'corrupt', threadId: id });
      expect(await errorOf(store.save(id, { state: state(texts(1)), base: absent }))).toMatchObject({
        code: 'corrupt',
      });
      expect(await errorOf(store.save(id, { state: state(texts(1)) }))).toMatchObject({ code: 'corrupt' });
      expect(await errorOf(store.delete(id))).toMatchObject({ code: 'corrupt' });
      expect(await threads.findOne({ _id: id })).toEqual({ _id: id, ...document });
    }
  });

  test('a record of a newer layout is refused, and left as it is', async () => {
    const store = open(direct);
    await create(store);
    await threads.updateOne(
      { _id: threadId },
      { $set: { 'control.layout': 2, 'control.etag': 'newer', expires_at: new Date(0) } },
    );
    expect(await errorOf(store.save(threadId, { state: state(texts(1)), base: absent }))).toMatchObject({
      code: expect.stringMatching(/schema_too_new|conflict/),
    });
    expect((await threads.findOne({ _id: threadId }))?.control.etag).toBe('newer');
  });
}
