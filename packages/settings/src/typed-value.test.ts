import { expect, it } from 'vitest';
import { typedValue } from './typed-value.ts';

it.each([
  ['1', 1],
  ['-1', -1],
  ['1_000', 1000],
  ['0x10', 16],
  ['1.5', 1.5],
  ['true', true],
  ['"true"', 'true'],
  ["'a\\b'", 'a\\b'],
  ['[1, "a"]', [1, 'a']],
  ['{ a = 1 }', { a: 1 }],
  [' 5 ', 5],
  ['5 # five', 5],
])('reads one TOML value: %j', (text, value) => {
  expect(typedValue(text, false)).toEqual(value);
});

it.each(['', ' ', 'abc', ' abc ', 'redis://h:1/0', 'TRUE', '1\nother = 2', '1\n[table]', '"open', 'a#b'])(
  'keeps anything else as it is, spaces and all: %j',
  (text) => {
    expect(typedValue(text, false)).toBe(text);
  },
);

it.each(['12345', 'true', '1979-05-27', '[1]', '{ a = 1 }', '007'])(
  'keeps %j as text where text is expected',
  (text) => {
    expect(typedValue(text, true)).toBe(text);
  },
);

it('reads a TOML string and a reference to a secret also where text is expected', () => {
  expect(typedValue('"a b "', true)).toBe('a b ');
  expect(typedValue('{ path = "p", key = "k" }', true)).toEqual({ path: 'p', key: 'k' });
});
