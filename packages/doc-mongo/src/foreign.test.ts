import { describe, expect, test } from 'vitest';
import { errorOf } from '../test/errors.ts';
import { absent, mongoUrl, ownDatabase, state, texts } from '../test/support.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

describe.skipIf(mongoUrl === undefined)('what this release cannot read', () => {
  const { database, client, threads } = ownDatabase();
  const store = createMongoCheckpointer({ client, database });

  test('[C14] what somebody else stored under the id is corrupt, and left as it is', async () => {
    const foreign = [
      { name: 'x' },
      { control: 'x' },
      { control: { layout: 1, etag: 'e' }, history: 'x' },
      { tombstone: 7 },
    ];
    for (const [index, document] of foreign.entries()) {
      const id = `foreign/${index}`;
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

  test('[S-MIG-02] a thread whose history is an object is corrupt, which says so, and left as it is', async () => {
    await store.save('object', { state: state(texts(1)), base: absent });
    await threads.updateOne({ _id: 'object' }, { $set: { history: { 0: 'x' } } });
    const before = await threads.findOne({ _id: 'object' });
    expect(await errorOf(store.load('object'))).toMatchObject({ code: 'corrupt', threadId: 'object', path: 'history' });
    expect(await threads.findOne({ _id: 'object' })).toEqual(before);
  });

  test('a record of a newer layout is refused, and left as it is', async () => {
    const threadId = 'newer';
    await store.save(threadId, { state: state(texts(1)), base: absent });
    await threads.updateOne(
      { _id: threadId },
      { $set: { 'control.layout': 2, 'control.etag': 'newer', expires_at: new Date(0) } },
    );
    expect(await errorOf(store.save(threadId, { state: state(texts(1)), base: absent }))).toMatchObject({
      code: expect.stringMatching(/schema_too_new|conflict/),
    });
    expect((await threads.findOne({ _id: threadId }))?.control.etag).toBe('newer');
  });
});
