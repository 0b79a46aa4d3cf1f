import { calling, noon, run, toolResult, user } from '@agent-state/conformance/fixtures';
import {
  createThreads,
  type Message,
  matches,
  type StoreQuery,
  type ThreadQuery,
  type ThreadState,
} from '@agent-state/core';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  absent,
  acting,
  append,
  appendAll,
  idle,
  mongoUrl,
  ownDatabase,
  rawClient,
  sharedUrl,
  state,
  texts,
} from '../test/support.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

const url = sharedUrl;

describe.skipIf(mongoUrl === undefined)('finding threads', () => {
  const { database, client, threads } = ownDatabase();
  const store = createMongoCheckpointer({ client, database, tail: { messages: 2 } });
  const found = async (query: ThreadQuery) => (await store.query(query)).threads.map(({ threadId }) => threadId);

  beforeAll(async () => {
    await appendAll(store, 'in a chunk', [user('the needle.* here'), ...texts(6)]);
    await appendAll(store, 'in the tail', [...texts(5), user('a needle.* too')]);
    const part = { role: 'user' as const, content: [{ type: 'image' }, { type: 'text', text: 'needle.* in a part' }] };
    await appendAll(store, 'in a part', [part, ...texts(4)]);
    const odd: Message = { ...user('needle.* beside\n"odd"'), metadata: { odd: { $ref: 'x', $id: 'y' } } };
    await appendAll(store, 'stored as text', [odd, ...texts(4)]);
    const elsewhere: Message = { ...user('no'), metadata: { note: 'needle.*', odd: { $ref: 'x', $id: 'y' } } };
    await appendAll(store, 'not in a text', [
      elsewhere,
      { ...user('no'), metadata: { note: 'needle.*' } },
      ...texts(4),
    ]);
    await appendAll(store, 'a pattern', [user('the needleXX'), user('NEEDLE.*'), ...texts(4)]);
  });

  test('a text is found letter by letter in chunks, the tail, parts, and what is stored as text', async () => {
    const all = ['in a chunk', 'in a part', 'in the tail', 'stored as text'];
    expect(await found({ text: 'needle.*' })).toEqual(all);
    expect(await found({ text: 'beside\n"odd"' })).toEqual(['stored as text']);
    expect(await found({ text: '$needle' })).toEqual([]);
  });

  test('pages of a text search are full, also where a candidate falls out', async () => {
    const first = await store.query({ text: 'needle.*', limit: 3 });
    expect(first.threads).toHaveLength(3);
    const second = await store.query({ text: 'needle.*', limit: 3, cursor: first.cursor as string });
    expect(second.threads.map(({ threadId }) => threadId)).toEqual(['stored as text']);
  });

  test('a result counts once it is part of the history', async () => {
    const history = [user('hi'), calling('seek')];
    const run = acting({ seek: toolResult('seek', 'a haystack') });
    const base = await store.save('ahead', { state: state(history, { run }), base: absent });
    expect(await found({ text: 'haystack' })).toEqual([]);
    expect(await found({ toolName: 'seek' })).toEqual(['ahead']);
    const settled = [...history, toolResult('seek', 'a haystack')];
    await store.save('ahead', { state: state(settled, { run: idle }), base, appendedFrom: 2 });
    expect(await found({ text: 'haystack' })).toEqual(['ahead']);
  });

  test('a result that was never used is not found in the chunk that it lies in', async () => {
    const history = [user('hi'), calling('a', 'b')];
    const run = acting({ a: undefined, b: toolResult('b', 'a forgotten word') });
    const base = await store.save('unused', { state: state(history, { run }), base: absent });
    const longer = [...history, ...texts(6)];
    await append(store, 'unused', { ...base, ahead: [] }, longer);
    expect(await found({ text: 'forgotten' })).toEqual([]);
  });

  test('what a rewrite dropped is not found, neither a text nor a tool', async () => {
    const base = await appendAll(store, 'rewritten', [calling('obsolete_tool'), user('an obsolete text'), ...texts(4)]);
    await store.save('rewritten', { state: state([user('anew')]), base });
    expect(await found({ text: 'obsolete text' })).toEqual([]);
    expect(await found({ toolName: 'obsolete_tool' })).toEqual([]);
  });

  test('a tool is found by its name, however long that is', async () => {
    const long = 'x'.repeat(100_000);
    await store.save('long tool', { state: state([calling(long)]), base: absent });
    expect(await found({ toolName: long })).toEqual(['long tool']);
    expect(await found({ toolName: `${long}x` })).toEqual([]);
  });

  test('variables are compared as literals, under any key', async () => {
    const variables = { 'a.b': 1, $where: 'x', '': true, nothing: null, plain: 'Alice', list: ['Alice'] };
    await store.save('variables', { state: state(texts(1), { variables }), base: absent });
    await store.save('odd variables', {
      state: state(texts(1), { variables: { 'a\0b': 1, _bsontype: 'y', plain: 'Bob' } }),
      base: absent,
    });
    for (const [key, value] of Object.entries(variables)) {
      if (typeof value !== 'object' || value === null)
        expect(await found({ variables: { [key]: value } })).toEqual(['variables']);
    }
    expect(await found({ variables: { list: 'Alice' } })).toEqual([]);
    expect(await found({ variables: { missing: null } })).toEqual([]);
    expect(await found({ variables: { plain: '$variables.plain' } })).toEqual([]);
    expect(await found({ variables: { plain: 'Bob' } })).toEqual(['odd variables']);
    expect(await found({ variables: { 'a\0b': 1, _bsontype: 'y' } })).toEqual(['odd variables']);
    expect(await found({ variables: { 'a\0b': 2 } })).toEqual([]);
  });

  describe('that are paused', () => {
    const paused = run({ phase: 'paused', pause: { kind: 'request', wake_at: noon } });
    const due = async () => (await createThreads(store).due(new Date(noon))).toSorted();
    beforeAll(async () => {
      for (const id of ['due', 'due, as text', 'unreadable']) {
        const more = id === 'due, as text' ? { odd: { $ref: 'x' } } : {};
        await store.save(id, { state: state([], { run: paused, ...more }), base: absent });
      }
      await store.save('asleep, as text', {
        state: state([], { run: { ...paused, pause: { kind: 'person' } }, odd: { $ref: 'x' } }),
        base: absent,
      });
      await threads.updateOne({ _id: 'unreadable' }, { $set: { head: 'junk' } });
    });

    test('a head that is stored as text is found like any other, and shown like any other', async () => {
      expect(await found({ phase: 'paused' })).toEqual(['asleep, as text', 'due', 'due, as text', 'unreadable']);
      expect(await found({ dueAt: noon })).toEqual(['due', 'due, as text', 'unreadable']);
      const shown = (await store.query({ phase: 'paused' })).threads.map(({ wakeAt }) => wakeAt);
      expect(shown).toEqual([undefined, noon, noon, noon]);
    });

    test('a thread that is due is found where another one cannot be read', async () => {
      await expect(store.load('unreadable')).rejects.toMatchObject({ code: 'corrupt' });
      expect(await due()).toEqual(['due', 'due, as text', 'unreadable']);
    });

    test('a thread that goes on is not due any more, its head stored as text or not', async () => {
      for (const id of ['due', 'due, as text']) {
        await store.save(id, { state: state([], { run: run(), odd: { $ref: 'x' } }) });
      }
      expect(await due()).toEqual(['unreadable']);
    });
  });

  test('documents of somebody else in the collection are not listed', async () => {
    await threads.insertMany([
      { _id: 'foreign' },
      { _id: 'dated', updated: new Date() },
      { _id: 'both', updated: 'x', control: 1 },
    ] as never[]);
    expect((await store.list()).threads.map(({ threadId }) => threadId)).not.toContain('dated');
    await threads.deleteMany({ _id: { $in: ['foreign', 'dated', 'both'] } });
  });

  test("any query gives what core's own comparison gives", async () => {
    const word = fc.constantFrom('a', 'ab', 'b"', '\\', '\n', '$a', 'ß', '😀', '.*');
    const text = fc.array(word, { maxLength: 4 }).map((words) => words.join(''));
    const message = fc.oneof(
      text.map(user),
      text.map((words): Message => ({ role: 'user', content: [{ text: words }, { other: words }, { text: 1 }] })),
      text.map((words): Message => ({ role: 'assistant', content: words, metadata: { $ref: words } })),
      text.map((words): Message => ({ role: 'assistant', content: null, metadata: { text: words } })),
    );
    const histories = fc.array(fc.array(message, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 4 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(histories, fc.array(text, { minLength: 1, maxLength: 4 }), async (given, needles) => {
        round += 1;
        const agent_profile = `round ${round}`;
        const states = given.map((history) => state(history, { agent_profile }));
        for (const [index, one] of states.entries()) {
          const short = state(one.history.slice(0, 1), { agent_profile });
          const base = await store.save(`${round}/${index}`, { state: short, base: absent });
          await store.save(`${round}/${index}`, { state: one, base, appendedFrom: 1 });
        }
        for (const needle of needles) {
          const query: StoreQuery = { limit: 100, agentProfile: agent_profile, text: needle };
          const expected = states.flatMap((one, index) =>
            matches('', { ...one, variables: {} } as unknown as ThreadState, query) ? [`${round}/${index}`] : [],
          );
          expect(await found({ agentProfile: agent_profile, text: needle })).toEqual(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  describe('never by looking through the collection', () => {
    const stages = (plan: unknown): string[] =>
      JSON.stringify(plan)
        .match(/"stage":"\w+"/g)
        ?.map((stage) => stage.slice(9, -1)) ?? [];

    test.each([
      ['a listing', {}],
      ['the next page', { cursor: Buffer.from(JSON.stringify([Date.now(), 'x'])).toString('base64url') }],
      ['a profile', { agentProfile: 'support_bot' }],
      ['a time range', { updatedFrom: '2026-01-01T00:00:00Z', updatedBefore: '2027-01-01T00:00:00Z' }],
    ])('%s is read from an index, in its order', async (_name, query: ThreadQuery) => {
      const watched = rawClient(url, { monitorCommands: true });
      const commands: Record<string, unknown>[] = [];
      watched.on('commandStarted', ({ command }) => commands.push(command));
      const looking = createMongoCheckpointer({ client: watched, database });
      await looking.query(query);
      await looking.load('in a chunk');
      const finds = commands.filter((command) => 'find' in command);
      expect(finds).toHaveLength(3);
      for (const { lsid: _lsid, $db: _db, $clusterTime: _time, batchSize: _size, ...find } of finds) {
        const { queryPlanner } = await client.db(database).command({ explain: find });
        const used = stages(queryPlanner.winningPlan);
        expect(used.some((stage) => ['IXSCAN', 'IDHACK'].includes(stage))).toBe(true);
        expect(used).not.toContain('COLLSCAN');
        expect(used).not.toContain('SORT');
      }
      await watched.close();
    });
  });
});
