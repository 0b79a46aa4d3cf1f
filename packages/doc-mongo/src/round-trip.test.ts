import { isDeepStrictEqual } from 'node:util';
import { calling, noon, toolResult, user } from '@agent-state/conformance/fixtures';
import { type JsonValue, toolNames } from '@agent-state/core';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { absent, acting, mongoUrl, ownDatabase, sharedUrl, state } from '../test/support.ts';
import { isCarriable, toStored } from './bson.ts';
import { createMongoCheckpointer } from './checkpointer.ts';

/** Keys that BSON, its driver, the server or JavaScript could mean something by. */
const oddKeys = [
  '_bsontype',
  '$ref',
  '$id',
  '$db',
  '__proto__',
  'constructor',
  'toBSON',
  'toJSON',
  'a.b',
  '$where',
  '$set',
  '',
  '0',
  '_id',
  'with\0nul',
  'schema',
  'value',
  'items',
  '\u2028',
  'é',
  'length',
];
const key = fc.oneof(fc.constantFrom(...oddKeys), fc.string({ unit: 'grapheme', maxLength: 5 }));
const numbers = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.constantFrom(0, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 63, Number.MAX_VALUE, Number.MIN_VALUE, 1e21),
);
const { object } = fc.letrec<{ json: JsonValue; object: Record<string, JsonValue> }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    numbers,
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('json'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(key, tie('json')), { maxLength: 5 })
    // From entries, so that `__proto__` is a key like any other.
    .map((entries) => Object.fromEntries(entries) as Record<string, JsonValue>),
}));

describe.skipIf(mongoUrl === undefined)('what core accepts comes back byte for byte', () => {
  const url = sharedUrl;
  const { database, client } = ownDatabase();
  const store = createMongoCheckpointer({ url, database, tail: { messages: 2 } });
  afterAll(() => store.close());
  let count = 0;
  const fresh = () => {
    count += 1;
    return `thread ${count}`;
  };

  test('as a message, in the variables, in a step, and as an unknown field, in the document and in chunks', async () => {
    const anything = fc.record({ part: object, metadata: object, variables: object, extra: object });
    await fc.assert(
      fc.asyncProperty(anything, async ({ part, metadata, variables, extra }) => {
        const threadId = fresh();
        const message = { role: 'user' as const, content: [part], metadata: { odd: metadata } };
        const given = { ...state([user('first'), message, user('second')]), variables, extra };
        const base = await store.save(threadId, { state: given, base: absent });
        const history = [...given.history, message];
        await store.save(threadId, { state: { ...given, history }, base, appendedFrom: 3 });
        const loaded = await store.load(threadId);
        // As text, so that the order of keys, -0 and the like count.
        const expected = { schema_version: 1, ...given, history };
        expect(textOf(loaded.found && loaded.state)).toBe(textOf(expected));
        // Node's comparison sees own `__proto__` keys and class instances.
        expect(isDeepStrictEqual(loaded.found && loaded.state.history, JSON.parse(JSON.stringify(history)))).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test('nested as deep as core allows', async () => {
    const nested = (levels: number): JsonValue =>
      levels === 0 ? 'bottom' : levels % 2 ? [nested(levels - 1)] : { a: nested(levels - 1) };
    const deep = nested(126);
    const threadId = fresh();
    const message = { role: 'user' as const, content: 'deep', metadata: { deep } };
    const given = state([message, user('1'), user('2')], { variables: { deep }, extra: nested(143) });
    const base = await store.save(threadId, { state: given, base: absent });
    await store.save(threadId, { state: state([...given.history, message]), base, appendedFrom: 3 });
    const loaded = await store.load(threadId);
    expect(loaded.found && loaded.state.history[3]).toEqual(message);
  });

  test('also where it has to be stored as text, of which a query knows nothing but the plain variables', async () => {
    const threadId = fresh();
    const odd = { $ref: 'x', $id: 'y' };
    await store.save(threadId, { state: state([user('hi')], { variables: { odd, name: 'Alice' } }), base: absent });
    const document = await client
      .db(database)
      .collection('agent_checkpoints')
      .findOne({ _id: threadId as never });
    expect(document).toMatchObject({ variables: { name: 'Alice' }, variables_text: expect.any(String) });
    const loaded = await store.load(threadId);
    expect(loaded.found && loaded.state.variables).toEqual({ odd, name: 'Alice' });
  });

  test("the specification's fields are native values that can be queried and indexed", async () => {
    const threadId = fresh();
    const history = [user('hello'), calling('lookup')];
    const given = state(history, {
      variables: { user_name: 'Alice' },
      run: acting({ lookup: toolResult('lookup', 'x') }),
    });
    await store.save(threadId, { state: given as never, base: absent, ttl: { ttlMs: 60_000, pausedTtlMs: null } });
    const threads = client.db(database).collection<{ _id: string }>('agent_checkpoints');
    const document = await threads.findOne({
      agent_profile: 'support_bot',
      current_step: 1,
      updated: new Date(noon),
      'variables.user_name': 'Alice',
      'run.phase': 'act',
      tools: [...toolNames({ history })],
      expires_at: { $type: 'date' },
      'control.revision': 1,
    });
    expect(document?._id).toBe(threadId);
    expect(document).toMatchObject({ updated_at: noon, schema_version: 1 });
  });
});

describe('what BSON carries', () => {
  test.each(['_bsontype', '$ref', 'a\0b'])('no object with the key %j, however deep', (name) => {
    expect(isCarriable({ a: [{ b: { [name]: 1 } }] })).toBe(false);
  });

  test('everything else', () => {
    expect(isCarriable({ $id: 1, 'a.b': [null, { $where: true }], '': 'x', toBSON: 1 })).toBe(true);
  });

  test('a large array of small numbers is stored as text, which is a fifth of it', () => {
    const value = { numbers: Array.from({ length: 300_000 }, () => 1) };
    const text = `1${JSON.stringify(value)}`;
    expect(toStored({ value, text, schema: 1 })).toEqual({ stored: text, bytes: text.length });
    const small = { numbers: [1, 1, 1] };
    expect(toStored({ value: small, text: `1${JSON.stringify(small)}`, schema: 1 }).stored).toEqual({
      schema: 1,
      value: small,
    });
  });
});

/** With the keys of the state itself in one order; those of the values stay as they are. */
function textOf(value: unknown): string {
  const entries = Object.entries(value as object).filter(([, part]) => part !== undefined);
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
