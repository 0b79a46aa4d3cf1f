export interface Unserializable<Name extends string = string> {
  readonly name: Name;
  /** For the requirement's sentence. */
  readonly what: string;
  readonly make: () => unknown;
  /** Where in the value the fault is, as the error's path continues it. */
  readonly at: string;
}

function bad<const Name extends string>(name: Name, what: string, make: () => unknown, at = ''): Unserializable<Name> {
  return { name, what, make, at };
}

/** Where the tests put them: `variables.order.value`, two levels down. */
const levelsAbove = 2;
/** How deep core lets a value be nested. */
const maxDepth = 128;

class Point {
  readonly x = 1;
}

function cycle(): object {
  const value = { self: { back: {} } };
  value.self.back = value;
  return value;
}

function nested(levels: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

/** What JSON cannot carry exactly. Each has to be refused before anything is written, with the path. */
export const unserializables = [
  bad('undefined-in-array', 'undefined in an array', () => [1, undefined], '[1]'),
  bad('hole', 'a hole in an array', () => Object.assign(['a'], { length: 3 }), '[1]'),
  bad('nan', 'NaN', () => ({ a: Number.NaN }), '.a'),
  bad('infinity', 'Infinity', () => [0, Number.POSITIVE_INFINITY], '[1]'),
  bad('minus-infinity', '-Infinity', () => Number.NEGATIVE_INFINITY),
  bad('bigint', '[S-SER-01] a BigInt', () => ({ 'a.b': 1n }), '["a.b"]'),
  bad('date', '[S-SER-02] a Date', () => ({ placed_at: new Date(0) }), '.placed_at'),
  bad('map', 'a Map', () => new Map([['a', 1]])),
  bad('set', 'a Set', () => [[new Set()]], '[0][0]'),
  bad('bytes', 'a Uint8Array', () => new Uint8Array(2)),
  bad('buffer', 'a Buffer', () => ({ '': Buffer.from('x') }), '[""]'),
  bad('class', 'an instance of a class', () => new Point()),
  bad('inherited', 'an object that inherits', () => Object.create({ a: 1 })),
  bad('boxed', 'a String object', () => ({ a: new String('x') }), '.a'),
  bad('regexp', 'a RegExp', () => /x/),
  bad('error', 'an Error', () => new Error('x')),
  bad('promise', 'a Promise', () => Promise.resolve(1)),
  bad('function', '[S-SER-01] a function', () => ({ a: [() => 1] }), '.a[0]'),
  bad('to-json', 'an object with a method toJSON', () => ({ toJSON: () => 1 }), '.toJSON'),
  bad('symbol', 'a symbol', () => ({ a: Symbol('x') }), '.a'),
  bad('symbol-key', 'a key that is a symbol', () => ({ a: { [Symbol('x')]: 1 } }), '.a'),
  bad('cycle', '[S-SER-01] a cycle', cycle, '.self.back'),
  bad('lone-high', 'a lone high surrogate', () => ['ok', 'bad \ud800'], '[1]'),
  bad('lone-low', 'a lone low surrogate', () => ({ a: '\udc00 bad' }), '.a'),
  bad('lone-key', 'a key with a lone surrogate', () => ({ a: { 'k\ud800': 1 } }), '.a'),
  bad(
    'getter',
    'a getter',
    () => ({
      get a() {
        return 1;
      },
    }),
    '.a',
  ),
  bad('too-deep', 'nesting past the limit', () => nested(200), '.a'.repeat(maxDepth - levelsAbove)),
] as const;
