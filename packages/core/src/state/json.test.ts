import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAgentStateError } from '../protocol/errors.ts';
import { freezeParsed, type JsonValue, joinPath, maxDepth, toJson } from './json.ts';

/** What was said about a refused value. */
function refusal(value: unknown): string {
  try {
    toJson(value, 'variables');
  } catch (error) {
    if (isAgentStateError(error, 'not_serializable'))
      return error.message.replace('; JSON cannot carry it exactly.', '');
    throw error;
  }
  return 'accepted';
}

function nested(levels: number): unknown {
  let value: unknown = {};
  for (let level = 1; level < levels; level += 1) value = { down: value };
  return value;
}

const parsed = (text: string): Record<string, unknown> => JSON.parse(text);

describe('what JSON carries exactly', () => {
  it('is accepted as it is', () => {
    const value = {
      none: null,
      yes: true,
      no: false,
      n: -1.5e-7,
      big: 2 ** 53,
      text: 'é😀\u0000\u2028',
      list: [1, [], {}],
    };
    expect(toJson(value, 'v')).toEqual(value);
  });

  it('[D5] comes out as JSON.stringify and JSON.parse would give it, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        expect(toJson(value, 'v')).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('has two things that are JSON`s own: an undefined property is absent, and -0 is 0', () => {
    expect(Object.keys(toJson({ a: undefined, b: 1 }, 'v') as object)).toEqual(['b']);
    expect(Object.is(toJson(-0, 'v'), 0)).toBe(true);
  });

  it('takes plain objects of another realm and without a prototype', () => {
    expect(toJson(runInNewContext('({ a: [1] })'), 'v')).toEqual({ a: [1] });
    expect(toJson(Object.assign(Object.create(null), { a: 1 }), 'v')).toEqual({ a: 1 });
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', '$where', 'a.b', '_bsontype', ''])(
    '[D6] has ordinary keys only, %j among them',
    (key) => {
      const value = parsed(`{${JSON.stringify(key)}:{"polluted":true}}`);
      const copy = toJson(value, 'v') as Record<string, JsonValue>;
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
      expect(Object.hasOwn(copy, key)).toBe(true);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );

  it('may hold the same object twice', () => {
    const shared = { a: 1 };
    expect(toJson([shared, { shared }], 'v')).toEqual([{ a: 1 }, { shared: { a: 1 } }]);
  });
});

describe('a value that JSON does not carry exactly is refused, with its path', () => {
  class Order {}
  class Ids extends Array {}
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const cycle: Record<string, unknown> = { name: 'a' };
  cycle.self = { again: cycle };

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'variables: undefined'],
    ['undefined in an array', { a: [1, undefined] }, 'variables.a[1]: undefined'],
    ['a hole in an array', { a: Object.assign([1], { 2: 2 }) }, 'variables.a[1]: undefined'],
    ['NaN', [Number.NaN], 'variables[0]: NaN'],
    ['Infinity', { a: Number.POSITIVE_INFINITY }, 'variables.a: Infinity'],
    ['-Infinity', { a: Number.NEGATIVE_INFINITY }, 'variables.a: -Infinity'],
    ['a BigInt', { n: 10n }, 'variables.n: BigInt'],
    ['a symbol', { a: Symbol('s') }, 'variables.a: symbol'],
    ['a function', { a: () => {} }, 'variables.a: function'],
    ['an own toJSON', { toJSON: () => 1 }, 'variables.toJSON: function'],
    ['a Date', { order: { placed_at: new Date(0) } }, 'variables.order.placed_at: Date'],
    ['a Map', { a: new Map() }, 'variables.a: Map'],
    ['a Set', { a: new Set() }, 'variables.a: Set'],
    ['bytes', { a: new Uint8Array(1) }, 'variables.a: Uint8Array'],
    ['a Buffer', { a: Buffer.from('x') }, 'variables.a: Buffer'],
    ['an Error', { a: new Error('x') }, 'variables.a: Error'],
    ['a RegExp', { a: /x/ }, 'variables.a: RegExp'],
    ['a promise', { a: Promise.resolve(1) }, 'variables.a: Promise'],
    ['a boxed string', { a: new String('x') }, 'variables.a: String'],
    ['an instance of a class', { a: new Order() }, 'variables.a: Order'],
    ['an array of a class', { a: new Ids() }, 'variables.a: Ids'],
    ['an array with a name beside its elements', { a: /b/.exec('abc') }, 'variables.a: an array with named properties'],
    [
      'an instance of a class without Object above it',
      {
        a: Object.create(Object.assign(Object.create(null), { constructor: class Bare {} })),
      },
      'variables.a: Bare',
    ],
    [
      'an object that inherits from a dictionary',
      { a: Object.create(Object.create(null)) },
      'variables.a: an object of a class',
    ],
    ['an object that inherits', { a: Object.create({ b: 1 }) }, 'variables.a: an object of a class'],
    ['symbol keys', { a: { [Symbol('s')]: 1 } }, 'variables.a: an object with symbol keys'],
    ['a lone surrogate', { a: 'x\ud800' }, 'variables.a: a string with a lone surrogate'],
    ['a lone surrogate in a key', { a: { '\udc00': 1 } }, 'variables.a: a key with a lone surrogate'],
    [
      'a getter',
      {
        get a() {
          return 1;
        },
      },
      'variables.a: a getter',
    ],
    ['a setter', { set a(_: number) {} }, 'variables.a: a getter'],
    [
      'a getter in an array',
      Object.defineProperty([], 0, { get: () => 1, enumerable: true }),
      'variables[0]: a getter',
    ],
    ['a cycle', { a: cycle }, 'variables.a.self.again: a cycle'],
    ['a revoked proxy', { a: revoked.proxy }, 'variables.a: an object that cannot be read'],
  ])('%s', (_, value, message) => {
    expect(refusal(value)).toBe(message);
  });

  it('[D5] never calls what it refuses', () => {
    const called = () => expect.unreachable('it was called');
    refusal({ toJSON: called });
    refusal(Object.defineProperty({}, 'a', { get: called, enumerable: true }));
    refusal(Object.defineProperty([], 0, { get: called, enumerable: true }));
  });

  it('[D5] a proxy is what it shows, once; one that throws is refused and not let through', () => {
    expect(toJson(new Proxy({ a: [1] }, {}), 'v')).toEqual({ a: [1] });
    const throwing = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('secret');
        },
      },
    );
    expect(refusal({ a: throwing })).toBe('variables.a: an object that cannot be read');
  });

  it('a key is shown so that it can be read back, and cut where it is long', () => {
    expect(joinPath('v', 'a.b')).toBe('v["a.b"]');
    expect(joinPath('v', 'x'.repeat(100))).toBe(`v["${'x'.repeat(60)}…"]`);
    expect(refusal({ 'a b': 1n })).toBe('variables["a b"]: BigInt');
  });
});

describe('depth', () => {
  it(`is ${maxDepth} levels at most`, () => {
    expect(refusal(nested(maxDepth))).toBe('accepted');
    expect(refusal(nested(maxDepth + 1))).toMatch(/: nesting past 128 levels$/);
  });

  it('[D4] far past the limit is refused and not a stack overflow', () => {
    expect(refusal(nested(100_000))).toMatch(/nesting past/);
    const list: unknown[] = [];
    list.push(list);
    expect(refusal(list)).toMatch(/cycle/);
  });

  it('counts what was taken before: a value cannot grow past the limit by wrapping it each time', () => {
    let value: JsonValue = {};
    const wrap = () => {
      for (let level = 1; level < 1_000; level += 1) value = toJson({ before: value }, 'v');
    };
    expect(wrap).toThrow(/nesting past/);
    expect(refusal(value)).toBe('accepted');
    expect(refusal(freezeParsed(JSON.parse(JSON.stringify({ a: value })), 'v'))).toMatch(/nesting past/);
  });

  it('[D4] of a stored text is limited too: it is refused and not a stack overflow', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
    expect(() => freezeParsed(deep, 'v')).toThrow(/nesting/);
  });
});

describe('a parsed text', () => {
  it.each(['[1e999]', '{"a":"\\ud800"}', '{"\\udc00":1}'])(
    'that holds %s, which JSON.stringify never wrote, is refused',
    (text) => {
      expect(() => freezeParsed(JSON.parse(text), 'v')).toThrow(/JSON cannot carry it/);
    },
  );
});

describe('a copy of the moment of the call', () => {
  it('does not change with what it was made of', () => {
    const value = { list: [{ a: 1 }] };
    const copy = toJson(value, 'v');
    value.list.push({ a: 2 });
    (value.list[0] as { a: number }).a = 3;
    expect(copy).toEqual({ list: [{ a: 1 }] });
  });

  it('is deeply frozen', () => {
    const copy = toJson({ list: [{ a: 1 }] }, 'v') as { list: { a: number }[] };
    expect(() => copy.list.push({ a: 2 })).toThrow(TypeError);
    expect(() => Object.assign(copy.list[0] as object, { a: 2 })).toThrow(TypeError);
  });

  it('leaves what it was made of as it is', () => {
    const value = { list: [1] };
    toJson(value, 'v');
    value.list.push(2);
    expect(value).toEqual({ list: [1, 2] });
  });

  it('copies a value that somebody else has frozen: a shallow freeze says nothing', () => {
    const inner = { a: 1 };
    const copy = toJson(Object.freeze({ inner }), 'v');
    inner.a = 2;
    expect(copy).toEqual({ inner: { a: 1 } });
  });

  it('is not walked again, alone or as a part', () => {
    const copy = toJson({ list: [{ a: 1 }] }, 'v') as { list: object };
    expect(toJson(copy, 'v')).toBe(copy);
    expect((toJson({ copy }, 'v') as { copy: object }).copy).toBe(copy);
    expect(toJson(copy.list, 'v')).toBe(copy.list);
  });

  it('that failed leaves nothing behind that counts as checked', () => {
    const inner = { a: 1 };
    expect(refusal({ inner, bad: 1n })).toBe('variables.bad: BigInt');
    expect(toJson(inner, 'v')).not.toBe(inner);
  });
});
