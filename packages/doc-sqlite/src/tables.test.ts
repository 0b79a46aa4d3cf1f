import fc from 'fast-check';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { createSqliteCheckpointer } from './checkpointer.ts';
import { prefixOf, tablesOf } from './tables.ts';

/** Names as SQLite tells them apart: it ignores the case of ASCII letters. */
const asSqliteSees = (name: string) => name.replace(/[A-Z]/g, (c) => c.toLowerCase());
const namesOf = (namespace: string) => {
  const { metaName: _metaName, ...names } = tablesOf(namespace);
  return Object.values(names).map((name: string) => asSqliteSees(name));
};
const namespaces = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'A', '^', '_', 's', 'sqlite', 'heads', 'meta', '"', '`', '%') }),
  fc.string({ unit: 'grapheme' }),
);

it('[F1] gives no two namespaces a table or an index in common', () => {
  fc.assert(
    fc.property(namespaces, namespaces, (a, b) => {
      const [ofA, ofB] = [namesOf(a), new Set(namesOf(b))];
      expect(ofA.some((name) => ofB.has(name))).toBe(a === b);
    }),
    { numRuns: 2_000 },
  );
});

it('leaves a usual namespace as it is', () => {
  expect(prefixOf('agent_checkpoints')).toBe('agent_checkpoints');
});

it.each([
  'a"b',
  "a'b",
  'A',
  'a',
  '"; drop table x; --',
  'sqlite',
  'sqlite_master',
  'a b',
  '日本',
  'a_heads',
  '[x]',
  '*',
])('keeps threads in the namespace %s, and they are not in another', async (namespace) => {
  const database = new Database(':memory:');
  const open = (name: string) => createSqliteCheckpointer({ database, namespace: name });
  await open('agent_checkpoints').load('thread');
  await open(namespace).save('thread', { state: { history: [] } });
  expect((await open(namespace).load('thread')).found).toBe(true);
  for (const other of ['agent_checkpoints', `${namespace}_`, namespace.toUpperCase() + namespace.toLowerCase()]) {
    expect((await open(other).load('thread')).found).toBe(false);
  }
});
