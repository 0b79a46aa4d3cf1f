import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertNamespace, assertThreadId, keyPart, maxThreadIdBytes } from './ids.ts';

const refused = expect.objectContaining({ code: 'invalid_thread_id' });

describe('[F1] a thread id', () => {
  it.each([
    'a',
    '550e8400-e29b-41d4-a716-446655440000',
    '__proto__',
    'constructor',
    '*',
    'a::b',
    '{slot}',
    '../../etc/passwd',
    'a b',
    '%00',
    '$ne',
    '\u202eRTL',
    '\u2028',
    '😀',
    'x'.repeat(maxThreadIdBytes),
    '😀'.repeat(maxThreadIdBytes / 4),
  ])('may be %j', (threadId) => {
    expect(() => assertThreadId(threadId)).not.toThrow();
  });

  it.each<[string, unknown, string]>([
    ['empty', '', 'The thread id is empty.'],
    ['a lone surrogate', 'a\ud800', 'The thread id has a lone surrogate.'],
    ['a line break', 'a\r\nDEL b', 'The thread id has a control character.'],
    ['NUL', 'a\u0000', 'The thread id has a control character.'],
    ['DEL', 'a\u007f', 'The thread id has a control character.'],
    ['a C1 control', 'a\u0085', 'The thread id has a control character.'],
    ['a byte too long', 'x'.repeat(maxThreadIdBytes + 1), 'The thread id has 257 bytes; 256 are allowed.'],
    ['too long in bytes only', 'é'.repeat(129), 'The thread id has 258 bytes; 256 are allowed.'],
    ['100 KB', 'x'.repeat(100_000), 'The thread id has 100000 bytes; 256 are allowed.'],
    ['undefined', undefined, 'The thread id has to be a string, not undefined.'],
    ['null', null, 'The thread id has to be a string, not null.'],
    ['a number', 7, 'The thread id has to be a string, not number.'],
    ['an operator', { $ne: null }, 'The thread id has to be a string, not object.'],
    ['an array', ['a'], 'The thread id has to be a string, not object.'],
    ['a boxed string', new String('a'), 'The thread id has to be a string, not object.'],
    ['what turns into one', { toString: () => expect.unreachable() }, 'The thread id has to be a string, not object.'],
  ])('is not %s', (_, threadId, message) => {
    expect(() => assertThreadId(threadId)).toThrow(refused);
    expect(() => assertThreadId(threadId)).toThrow(message);
  });
});

describe('[F1] a namespace', () => {
  it.each(['agent_sessions', 'a::b', 'te*', 'x'.repeat(120)])('may be %j', (namespace) => {
    expect(() => assertNamespace(namespace)).not.toThrow();
  });

  it.each(['', 'a\nb', '\udc00', 'x'.repeat(121), undefined, null, 7, {}])('is not %j', (namespace) => {
    expect(() => assertNamespace(namespace)).toThrow(expect.objectContaining({ code: 'configuration' }));
  });
});

describe('[F1] a part of a key', () => {
  const wellFormed = fc.string({ unit: 'grapheme' });

  it('is another one for every other text', () => {
    fc.assert(fc.property(wellFormed, wellFormed, (a, b) => (keyPart(a) === keyPart(b)) === (a === b)));
  });

  it('can be told apart from its neighbours, whatever is in it', () => {
    const joined = (parts: readonly string[]) => parts.map(keyPart).join(':');
    const parts = fc.array(fc.oneof(wellFormed, fc.constantFrom('a', ':', 'a::b', '%3A', '')), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        expect(joined(a) === joined(b)).toBe(a.length === b.length && a.every((part, index) => part === b[index]));
      }),
    );
  });

  it('has no character that a store, a pattern or a path could mean something by', () => {
    fc.assert(fc.property(wellFormed, (text) => /^[A-Za-z0-9_%-]*$/.test(keyPart(text))));
    expect(keyPart('*?[]{}:/\\.\'"$()!~ \u0000')).toMatch(/^(%[0-9A-F]{2})+$/);
  });
});
