import { expect, it } from 'vitest';
import { mergeTables } from './merge.ts';

it('merges tables to their leaves and replaces lists', () => {
  const base = { a: { b: { c: 1, d: [1, 2] } }, x: 1 };
  expect(mergeTables(base, { a: { b: { d: [3] }, e: 2 } })).toEqual({ a: { b: { c: 1, d: [3] }, e: 2 }, x: 1 });
  expect(base).toEqual({ a: { b: { c: 1, d: [1, 2] } }, x: 1 });
});

it('replaces a table by a value and a value by a table', () => {
  expect(mergeTables({ a: { b: 1 } }, { a: 2 })).toEqual({ a: 2 });
  expect(mergeTables({ a: 2 }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
});

it('takes __proto__ for a key like any other', () => {
  const merged = mergeTables(JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"b":2}}'));
  expect(JSON.stringify(merged)).toBe('{"__proto__":{"a":1,"b":2}}');
  expect(({} as Record<string, unknown>).a).toBeUndefined();
});
