import { expect, test } from 'vitest';
import { optionsOf } from './arguments.ts';

test('without arguments every store is measured over 501 steps', () => {
  expect(optionsOf([])).toMatchObject({ json: false, steps: 501 });
  expect(optionsOf(['--json', '--steps', '51', '--store', 'redis,redis'])).toEqual({
    json: true,
    steps: 51,
    stores: ['redis'],
  });
});

test.each([
  ['--steps has to be an odd number', ['--steps', '50']],
  ['there is no store "redsi"', ['--store', 'redsi']],
  ["Unknown option '--jsn'", ['--jsn']],
])('called wrongly says so: %s', (what, args) => {
  expect(() => optionsOf(args)).toThrow(what);
});
