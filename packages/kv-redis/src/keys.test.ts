import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keysOf } from './keys.ts';

const part = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.stringMatching(/^[ab:{}*%]{1,6}$/),
  fc.constantFrom('a', 'a:deleted', 'a}', '{a', 'a:{b}'),
);

test('[F1] two threads never share a key, nor a thread and a tombstone', () => {
  const pair = fc.tuple(part, part);
  fc.assert(
    fc.property(pair, pair, ([namespace, id], [otherNamespace, otherId]) => {
      fc.pre(namespace !== otherNamespace || id !== otherId);
      const one = Object.values(keysOf(namespace, id));
      const other = Object.values(keysOf(otherNamespace, otherId));
      expect(new Set([...one, ...other]).size).toBe(4);
    }),
    { numRuns: 2_000 },
  );
});

test('both keys of a thread have the same hash tag', () => {
  fc.assert(
    fc.property(part, part, (namespace, id) => {
      const [thread, tombstone] = Object.values(keysOf(namespace, id)).map((key) => /\{([^}]+)\}/.exec(key)?.[1]);
      expect(thread).toBeTruthy();
      expect(thread).toBe(tombstone);
    }),
  );
});
