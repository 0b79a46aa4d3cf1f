import { describe, expect, test } from 'vitest';
import { encodeCommand, parseReply } from './resp.ts';

const parse = (text: string) => parseReply(Buffer.from(text));

describe('the Redis wire format', () => {
  test('a command carries byte lengths, not character counts', () => {
    expect(encodeCommand(['SET', 'k', 'é'])).toBe('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\né\r\n');
  });

  test.each([
    ['+OK\r\n', 'OK'],
    [':-7\r\n', -7],
    ['$3\r\na\r\n\r\n', 'a\r\n'],
    ['$-1\r\n', null],
    ['*-1\r\n', null],
    ['*2\r\n:1\r\n*1\r\n+x\r\n', [1, ['x']]],
  ])('%j is read as %j', (text, reply) => {
    expect(parse(text)?.reply).toEqual(reply);
  });

  test('a reply that is not complete yet is not read', () => {
    const whole = '*2\r\n$2\r\nab\r\n:1\r\n';
    for (let length = 0; length < whole.length; length++) expect(parse(whole.slice(0, length))).toBeUndefined();
  });

  test("the server's error is thrown with its own words", () => {
    expect(() => parse('-READONLY no\r\n')).toThrow('READONLY no');
  });

  test('anything else is refused', () => {
    expect(() => parse('HTTP/1.1\r\n')).toThrow('not a Redis reply');
  });
});
