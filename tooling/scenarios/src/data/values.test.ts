import { randomUUID } from 'node:crypto';
import { type Checkpointer, isAgentStateError } from '@agent-state/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { missingStores, opened, stores } from '../stores.ts';

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\u0000', 'a\u0000b', '\u2028\u2029', '😀', '\ufeff', '$where', 'a.b', '__proto__', '"\\'),
);
const brokenTexts = fc.constantFrom('\ud800', 'a\udc00', '\udfff\ud800');

/** What JSON carries, in one form or another. */
const plain = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false, -0, 0, 2 ** 53, 1e308, 5e-324),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    texts,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(texts, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
    fc.record({ a: fc.constant(undefined), b: tie('value') }),
  ),
})).value;

class Instance {
  readonly a = 1;
}

function cycle(): unknown {
  const list: unknown[] = [];
  list.push([list]);
  return list;
}

/** What JSON does not carry, or only changed; made anew for each try. */
const odd = fc.constantFrom<() => unknown>(
  () => Number.NaN,
  () => Number.NEGATIVE_INFINITY,
  () => 1n,
  () => new Date(0),
  () => new Map([['a', 1]]),
  () => new Set(),
  () => new Uint8Array(2),
  () => new Instance(),
  () => [undefined],
  () => Object.assign([1], { length: 3 }),
  () => Symbol('a'),
  () => () => 1,
  cycle,
  () => Object.defineProperty({}, 'a', { get: () => 1, enumerable: true }),
  () => ({ toJSON: () => 'other' }),
  () => ({ toBSON: () => 'other' }),
  () => new Proxy({ a: [1] }, {}),
  () =>
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no');
        },
      },
    ),
  () => Proxy.revocable({}, {}).proxy,
  () => Object.create({ inherited: 1 }),
);

/** A value of which some part may be odd. */
const anything: fc.Arbitrary<() => unknown> = fc.oneof(
  plain.map((value) => () => value),
  fc.tuple(plain, odd).map(([value, make]) => () => ({ before: value, odd: make() })),
  fc.tuple(odd, plain).map(([make, value]) => () => [value, { inner: make() }]),
  brokenTexts.map((text) => () => ({ text })),
  brokenTexts.map((key) => () => ({ [key]: 1 })),
);

/** The value as it is loaded again, in text, from both of its places; or the path at which it was refused. */
async function outcomeOn(checkpointer: Checkpointer, threadId: string, make: () => unknown): Promise<string> {
  const message = { role: 'user' as const, content: 'a', metadata: { value: make() } };
  try {
    await checkpointer.save(threadId, { state: { variables: { value: make() }, history: [message] } as never });
  } catch (error) {
    if (!isAgentStateError(error, 'not_serializable')) throw error;
    expect((await checkpointer.load(threadId)).found).toBe(false);
    return `refused at ${error.path}`;
  }
  const found = await checkpointer.load(threadId);
  if (!found.found) return 'not there';
  const loaded = [found.state.variables.value, found.state.history[0]?.metadata?.value];
  expect(JSON.stringify(loaded[0])).toBe(JSON.stringify(loaded[1]));
  return `stored ${JSON.stringify(loaded[0])}`;
}

/** What JSON itself makes of it: the only thing that may be stored. */
function inJson(make: () => unknown): string | undefined {
  try {
    return `stored ${JSON.stringify(JSON.parse(JSON.stringify(make())))}`;
  } catch {
    return undefined;
  }
}

it('[D5] any value is loaded as JSON has it, or refused with its path: the same on every store, never changed', async () => {
  expect(stores).toHaveLength(5 - missingStores);
  const open = stores.map(([, openStore]) => opened(openStore));
  let refused = 0;
  let stored = 0;
  await fc.assert(
    fc.asyncProperty(anything, async (make) => {
      const threadId = randomUUID();
      const outcomes = await Promise.all(open.map((checkpointer) => outcomeOn(checkpointer, threadId, make)));
      const [outcome = ''] = outcomes;
      expect(new Set(outcomes).size).toBe(1);
      if (outcome.startsWith('refused')) refused += 1;
      else {
        stored += 1;
        expect(outcome).toBe(inJson(make));
      }
      if (outcome.startsWith('refused')) expect(outcome).toMatch(/^refused at variables\.value/);
    }),
    { numRuns: 200 },
  );
  expect(Math.min(refused, stored)).toBeGreaterThan(30);
});
