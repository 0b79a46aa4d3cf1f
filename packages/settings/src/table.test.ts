import { expect, it } from 'vitest';
import { kindOf, own, showPath, tableAt, valueAt } from './table.ts';

it('finds own keys only: constructor and __proto__ are keys like any other', () => {
  for (const key of ['constructor', '__proto__', 'toString']) {
    expect(own({}, key)).toBeUndefined();
    expect(valueAt({}, [key])).toBeUndefined();
    expect(tableAt({ [key]: { a: 1 } }, key)).toEqual({ a: 1 });
  }
  expect(own(JSON.parse('{"__proto__":1}') as Record<string, unknown>, '__proto__')).toBe(1);
});

it('shows a path as TOML writes it', () => {
  expect(showPath(['database', 'kvstore', 'my.redis', 'wrappers', 0, 'name'])).toBe(
    'database.kvstore."my.redis".wrappers[0].name',
  );
});

it('says what a value is without showing it', () => {
  const values = ['S3CRET', 1, true, [], {}, new Date(0), undefined];
  expect(values.map(kindOf)).toEqual(['a string', 'a number', 'true', 'a list', 'a table', 'a date', 'nothing']);
});
