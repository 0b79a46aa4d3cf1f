import { expect, it } from 'vitest';
import { allBut, editDistance, nearest } from './suggestions.ts';

it.each([
  ['ttl', 'ttl', 0],
  ['tlt', 'ttl', 1],
  ['enbled', 'enabled', 1],
  ['namespaces', 'namespace', 1],
  ['strategie', 'strategy', 2],
  ['', 'abc', 3],
])('counts what is wrong with %s for %s', (from, to, distance) => {
  expect(editDistance(from, to)).toBe(distance);
  expect(editDistance(to, from)).toBe(distance);
});

it('suggests the nearest known name, and none where none is near', () => {
  const known = ['ttl_seconds', 'paused_ttl_seconds', 'strategy'];
  expect(nearest('ttl_second', known)).toBe('ttl_seconds');
  expect(nearest('TTL_SECONDS', known)).toBe('ttl_seconds');
  expect(nearest('ttl', known)).toBe('ttl_seconds');
  expect(nearest('strategy_name', known)).toBe('strategy');
  expect(nearest('colour', known)).toBeUndefined();
});

it('takes an application name for a misspelling only where it is all but the same', () => {
  expect(allBut('databse', ['ai', 'database'])).toBe('database');
  expect(allBut('database', ['ai', 'database'])).toBeUndefined();
  expect(allBut('api', ['ai', 'database'])).toBeUndefined();
  expect(allBut('data', ['ai', 'database'])).toBeUndefined();
});
