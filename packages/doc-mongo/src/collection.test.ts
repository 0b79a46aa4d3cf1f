import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectionOf } from './collection.ts';

test.each(['agent_checkpoints', 'a.b', 'a-b::c', 'us*', 'ünï'])('%j is a collection of that name', (namespace) => {
  expect(collectionOf(namespace)).toBe(namespace);
});

test.each([
  ['a$b', 'a%24b'],
  ['100%', '100%25'],
  ['.a..b.', '%2Ea%2E%2Eb%2E'],
  ['system.users', '%73ystem.users'],
])('%j, which MongoDB refuses, is %j', (namespace, name) => {
  expect(collectionOf(namespace)).toBe(name);
});

test('no two namespaces are one collection', () => {
  const namespace = fc.string({
    unit: fc.constantFrom('.', '%', '$', '2', '4', 'E', '7', '3', 'system.'),
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(namespace, (given) => {
      const name = collectionOf(given);
      expect(decodeURIComponent(name)).toBe(given);
      expect(name).not.toMatch(/\$|^system\.|^\.|\.$|\.\./);
    }),
  );
});

test('one that is too long, or none, is a mistake in the configuration', () => {
  for (const namespace of ['', '$'.repeat(100)]) {
    expect(() => collectionOf(namespace)).toThrow(
      expect.objectContaining({ code: 'configuration', path: 'namespace' }),
    );
  }
});
