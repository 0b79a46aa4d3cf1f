import { describe, expect, test } from 'vitest';
import { optionsOf } from './arguments.ts';

const idsOf = (...args: readonly string[]) => {
  const options = optionsOf(args);
  return options === 'help' ? [] : options.entries.map(({ id }) => id);
};

describe('what is shown', () => {
  test('are the faults, by default', () => {
    expect(idsOf()).toHaveLength(127);
    expect(optionsOf([])).toMatchObject({ docs: true });
  });
  test('or the failures', () => expect(idsOf('--cases')).toHaveLength(99));
  test('or some of both, and then the documents stay as they are', () => {
    expect(idsOf('--rows', 'B14,S-TTL-03')).toEqual(['B14', 'S-TTL-03']);
    expect(optionsOf(['--rows', 'B14'])).toMatchObject({ docs: false });
  });
  test('or nothing, for the documents alone', () => expect(optionsOf(['--docs'])).toEqual({ entries: [], docs: true }));
});

test.each([
  ['an id that is in no list', ['--rows', 'B99'], 'there is no row or case "B99"'],
  ['no id', ['--rows', ''], 'there is no row or case ""'],
  ['two things at once', ['--rows', 'B1', '--cases'], 'only one of'],
  ['an unknown option', ['--nonsense'], "Unknown option '--nonsense'"],
])('%s is refused', (_, args, message) => {
  expect(() => optionsOf(args)).toThrow(message);
});
