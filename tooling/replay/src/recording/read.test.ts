import { describe, expect, test } from 'vitest';
import * as made from '../../test/recordings.ts';
import { readRecordings } from './read.ts';

const { asks, gives, line, says, system, user } = made;

describe('a file of recordings', () => {
  test('is read line by line; empty lines and a mark at its start are nothing', () => {
    const { recordings, bad } = readRecordings(`\ufeff${made.all.join('\r\n\n')}\n`);
    expect(bad).toEqual([]);
    expect(recordings.map(({ id, opening, messages }) => [id, opening, messages.length])).toEqual([
      ['unanswered', 1, 9],
      ['unfinished', 1, 4],
      ['answered', 0, 3],
      ['twins', 1, 6],
      ['inside', 0, 3],
    ]);
  });

  test('a bad line is named with its number, and the rest is read', () => {
    const { recordings, bad } = readRecordings(`{"id": "cut", "mess\n${made.answered}\n[]\n${made.answered}`);
    expect(recordings).toHaveLength(1);
    expect(bad).toEqual([
      { line: 1, reason: 'it is not JSON' },
      { line: 3, reason: 'it has to be an object' },
      { line: 4, reason: 'id is the same as in line 2' },
    ]);
  });

  test('a result belongs to the call of its turn with its id, the first that has none', () => {
    const { recordings } = readRecordings(made.all.join('\n'));
    expect(recordings.map(({ results }) => [...results])).toEqual([
      [
        [2, [3]],
        [4, [5, 6]],
      ],
      [[2, [3]]],
      [],
      [[2, [3, 4]]],
      [[1, [undefined, 2, undefined]]],
    ]);
  });

  test('a result without a name has that of its call', () => {
    const { name, ...nameless } = gives('a', 'x');
    const { recordings } = readRecordings(line('t', user('Hi'), asks(null, 'a look_up {}'), nameless));
    expect(recordings[0]?.messages[2]).toMatchObject({ name, content: 'x' });
  });

  test.each([
    ['messages has none of the customer', line('t', system('x'))],
    ['messages has to be an array', JSON.stringify({ id: 't' })],
    ["id cannot be a thread's: The thread id is empty.", line('', user('Hi'))],
    [
      'messages[1].role has to be one of system, developer, user, assistant, tool',
      line('t', user('Hi'), { role: 'x' }),
    ],
    ['messages[0].content has to be a string or an array of parts', line('t', user(7))],
    ['messages[1] is a system message after the first of the customer', line('t', user('Hi'), system('x'))],
    ['messages[2] follows an answer: an agent waits for the customer', line('t', user('Hi'), says('x'), says('y'))],
    ['messages[2] comes before all calls have their results', line('t', user('a'), asks(null, 'a b {}'), user('c'))],
    ['messages[1].tool_call_id is of no call that waits for a result', line('t', user('a'), gives('x', 'y'))],
    [
      'messages[1].tool_calls[0].function.name is not a name that a tool can have',
      line('t', user('a'), asks(null, 'a b. {}')),
    ],
    [
      'messages[1].tool_calls[0].function.arguments are not a JSON object: an agent refuses them',
      line('t', user('a'), asks(null, 'a b {"secret')),
    ],
  ])('%s', (reason, text) => {
    expect(readRecordings(text).bad).toEqual([{ line: 1, reason }]);
  });
});
