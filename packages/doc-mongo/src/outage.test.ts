import { user } from '@agent-state/conformance/fixtures';
import type { Checkpointer, Position } from '@agent-state/core';
import { type FailCommand, isMissing, startMongo, startProxy } from '@agent-state/services';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { content, errorOf, secret, within } from '../test/errors.ts';
import { absent, append, freshDatabase, state, texts } from '../test/support.ts';
import { threadOfTest } from '../test/thread.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

const mongo = await startMongo();
if (isMissing(mongo)) test.skip(`outages (${mongo.missing})`);
else {
  const proxy = await startProxy(mongo.port);
  const database = freshDatabase();
  // The driver looks for a lost server every 500 ms at most, so a search needs longer than that.
  const timeouts = { serverSelectionTimeoutMS: 1_500, connectTimeoutMS: 500, socketTimeoutMS: 1_000 };
  const direct = `${mongo.url}&appName=tested`;
  const proxied = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const opened: Checkpointer[] = [];
  const open = (url: string, options = {}) => {
    const store = createMongoCheckpointer({ url, database, ...timeouts, ...options });
    opened.push(store);
    return store;
  };
  const thread = threadOfTest();
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await proxy.stop();
    await mongo.stop();
  });
  afterEach(async () => {
    mongo.thaw();
    if (!mongo.running()) await mongo.start();
    await proxy.pass();
    await mongo.failPoint('failCommand', 'off');
  });
  const create = (store: Checkpointer) => store.save(thread.id, { state: state([user(content)]), base: absent });
  describe('what the server says', () => {
    const store = open(direct);
    const onUpdate = async (data: Partial<FailCommand>, base: Position) => {
      await mongo.failCommand({ failCommands: ['update'], appName: 'tested', ...data });
      return errorOf(append(store, thread.id, base, [user(content), user('more')]));
    };

    test.each([
      [10107, 'no'],
      [13435, 'no'],
      [14031, 'no'],
      [91, 'maybe'],
      [11600, 'maybe'],
      [11602, 'maybe'],
      [189, 'maybe'],
    ])('error %i on a save is an outage, applied: %s, and the next call is served', async (errorCode, applied) => {
      const base = await create(store);
      expect(await onUpdate({ errorCode }, base)).toMatchObject({ code: 'unavailable', applied });
      expect(await within(1_500, () => store.peek(thread.id))).toMatchObject({ found: true });
    });

    test.each([64, 79, 100])('write concern error %i is an outage, and the write may be there', async (code) => {
      const base = await create(store);
      const error = await onUpdate({ writeConcernError: { code, errmsg: content } }, base);
      expect(error).toMatchObject({ code: 'unavailable', applied: 'maybe' });
      expect(await store.peek(thread.id)).toMatchObject({ revision: 2 });
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
        expect(await errorOf(store.load(thread.id))).toMatchObject({ code: 'unavailable', applied: 'no' });
      }
    });
  });

  describe('a lost acknowledgement', () => {
    const isUpdate = (request: Buffer) => request.includes('update\0') && request.includes('control.etag');

    test('says that the write may be there; it is found by its write id', async () => {
      const store = open(proxied);
      const base = await create(store);
      const shot = proxy.swallowReply(isUpdate);
      const saving = store.save(thread.id, { state: state(texts(2)), base, appendedFrom: 0, writeId: 'mine' });
      expect(await errorOf(saving)).toMatchObject({ code: 'unavailable', applied: 'maybe' });
      await shot.fired;
      expect(await store.peek(thread.id)).toMatchObject({ etag: 'mine', revision: 2 });
    });

    test('is no conflict where the driver sends again by itself', async () => {
      const given = new MongoClient(
        `mongodb://127.0.0.1:${proxy.port}/?directConnection=true&retryWrites=true`,
        timeouts,
      );
      const store = createMongoCheckpointer({ client: given, database });
      const base = await create(store);
      const shot = proxy.swallowReply(isUpdate);
      const position = await append(store, thread.id, base, [user(content), user('once')]);
      await shot.fired;
      expect(position.revision).toBe(2);
      const loaded = await store.load(thread.id);
      expect(loaded.found && loaded.state.history).toHaveLength(2);
      await given.close();
    });

    test('is no conflict where the same save is sent again, as a server without sessions has it', async () => {
      const store = open(direct);
      const base = await create(store);
      const write = { state: state(texts(2)), base, writeId: 'again' };
      expect(await store.save(thread.id, write)).toEqual(await open(direct).save(thread.id, write));
    });
  });

  describe('a server that is', () => {
    test('down at the start does not hinder making a checkpointer; calls fail in time, and work once it is up', async () => {
      await proxy.refuse();
      const store = open(proxied);
      const error = await within(3_000, () => errorOf(create(store)));
      expect(error).toMatchObject({ code: 'unavailable', applied: 'no' });
      await proxy.pass();
      expect(await create(store)).toMatchObject({ revision: 1 });
    });

    test('killed fails every call in time, and is used again with its data when it is back', async () => {
      const store = open(direct);
      const base = await create(store);
      await mongo.kill();
      for (const call of [
        () => store.load(thread.id),
        () => append(store, thread.id, base, texts(2)),
        () => store.delete(thread.id),
        () => store.list(),
      ]) {
        expect(await within(3_000, () => errorOf(call()))).toMatchObject({ code: 'unavailable' });
      }
      await mongo.start();
      expect(await append(store, thread.id, base, [user(content), user('back')])).toMatchObject({ revision: 2 });
    });

    test('frozen fails in time; the write may land, and its loss or landing is told apart by reading back', async () => {
      const store = open(direct);
      const base = await create(store);
      mongo.freeze();
      const saving = store.save(thread.id, {
        state: state([user(content), user('late')]),
        base,
        appendedFrom: 1,
        writeId: 'late',
      });
      const error = await within(3_500, () => errorOf(saving));
      expect(error).toMatchObject({ code: 'unavailable', applied: 'maybe' });
      store.reset();
      mongo.thaw();
      const found = await store.peek(thread.id);
      expect([base.etag, 'late']).toContain(found.found && found.etag);
    });

    test('frozen does not hold up close', async () => {
      const store = open(direct);
      await create(store);
      mongo.freeze();
      await within(3_000, () => store.close());
      mongo.thaw();
      expect(await errorOf(store.load(thread.id))).toMatchObject({ code: 'closed' });
    });
  });

  test('[S-SEC-04] no error shows a password, whatever is wrong with the url', async () => {
    const urls = [
      `mongodb://user:${secret}@127.0.0.1:1/`,
      `mongodb://user:${secret}@127.0.0.1:${mongo.port}/?authSource=admin`,
      `mongodb://user:${secret}@no.such.host.invalid/`,
    ];
    for (const url of urls) await errorOf(open(url).load(thread.id));
    for (const url of [
      `mongodb://user:${secret}@host:port/`,
      `mongodb://user:${secret}@/?x=%`,
      `http://user:${secret}@host/`,
    ]) {
      await errorOf((async () => open(url))());
    }
  });
}
