import type { JsonValue } from '@agent-state/core';

export interface OddValue<Name extends string = string> {
  readonly name: Name;
  /** For the requirement's sentence, in the plural. */
  readonly what: string;
  readonly value: JsonValue;
  /** What is loaded; the same value but for what JSON itself changes. */
  readonly loads: JsonValue;
}

function odd<const Name extends string>(
  name: Name,
  what: string,
  value: JsonValue,
  loads: JsonValue = value,
): OddValue<Name> {
  return { name, what, value, loads };
}

const nested = (levels: number): JsonValue =>
  levels === 0 ? 'bottom' : levels % 2 ? { a: nested(levels - 1) } : [nested(levels - 1)];

const controls = Array.from({ length: 160 }, (_, code) => String.fromCharCode(code)).join('');

/** Made by the parser, so that `__proto__` is a key like any other. */
const parsed = (text: string): JsonValue => JSON.parse(text) as JsonValue;

/** Values that some store, driver, script or serializer is known to change. */
export const oddValues = [
  odd('unicode', '[S-UNI-01] texts in many scripts', 'žluťoučký кінь 漢字 עברית العربية ไทย'),
  odd('emoji', 'characters past the 16-bit plane', '😀👩‍👩‍👧‍👦𝒳🇨🇿'),
  odd('nul', '[S-UNI-02] texts with NUL', 'before\u0000after\u0000'),
  odd('controls', 'control characters', controls),
  odd('line-separators', 'U+2028 and U+2029', 'a\u2028b\u2029c'),
  odd('noncharacters', 'byte order marks, replacement and non-characters', '\uFEFF\uFFFD\uFFFE\uFFFF\u{1FFFF}'),
  odd('normal-forms', 'composed and decomposed letters', ['\u00e9', 'e\u0301', '\u212b', '\u00c5']),
  odd('escapes', 'backslashes, quotes and line ends', '\\ " \' ` / \\u0041 \\n \r\n \t \\'),
  odd('blank', 'blank and padded texts', ['', ' ', '  padded  ', '\n']),
  odd('like-json', 'texts that look like JSON', [
    '{"a":1}',
    '1{"role":"user"}',
    '[null]',
    'null',
    'true',
    '"x"',
    '1e3',
  ]),
  odd('like-operators', 'texts that look like operators', [
    '$etag',
    '$$ROOT',
    '$ne',
    '.*',
    '%',
    "' or 1=1 --",
    '{{x}}',
  ]),
  odd('like-dates', 'texts that look like dates or ids', ['2026-01-01T00:00:00.000Z', '507f1f77bcf86cd799439011']),
  odd('integers', 'integers up to 2^53 - 1', [0, 1, -1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53 - 1, -(2 ** 53) + 1]),
  odd('large-integers', 'integers past 2^53', [2 ** 53, 2 ** 53 + 2, 2 ** 63, 2 ** 64, 1e21, 123456789012345680000]),
  odd('fractions', 'the extremes of a double', [1e308, -1e308, 5e-324, 0.1, 1 / 3, 1.7976931348623157e308]),
  odd('minus-zero', 'minus zeros, which are 0 in JSON,', [-0], [0]),
  odd('empty', 'empty objects, arrays and nulls', { a: {}, b: [], c: null, d: [[]], e: [{}], f: [null, [null]] }),
  odd('booleans', 'booleans and what others take for them', [true, false, 0, 1, '', 'true', null]),
  odd('mixed-arrays', 'arrays of unlike values', [1, 'a', null, [2, ['b']], { c: [] }, false]),
  odd(
    'proto-keys',
    '[D6] keys named __proto__, constructor and prototype',
    parsed('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":1,"toString":2}'),
  ),
  odd('operator-keys', 'keys that are operators or paths', {
    $where: 1,
    $set: { a: 1 },
    'a.b': 2,
    '.': 3,
    $: 4,
    'a.$': 5,
    a: { b: 6 },
  }),
  odd('empty-keys', 'empty and blank keys', { '': 1, ' ': 2, a: { '': { '': 3 } } }),
  odd('nul-keys', '[S-UNI-02] keys with NUL', { 'a\u0000b': 1, '\u0000': 2, a: 3 }),
  odd('unicode-keys', '[S-UNI-01] keys past ASCII', { ключ: 1, '😀': 2, '\u2028': 3, '\uFFFF': 4 }),
  odd('number-keys', 'keys that look like indexes', { 0: 'a', 1: 'b', 10: 'c', '-1': 'd', '01': 'e', length: 2 }),
  odd('bson-keys', 'keys that drivers obey', {
    _bsontype: 'ObjectId',
    id: 'x',
    _id: 1,
    toBSON: 'a',
    toJSON: 'b',
    buffer: {},
  }),
  odd('references', 'objects that look like references', { $ref: 'c', $id: 'i', $db: 'd' }),
  odd('extended-json', 'objects that look like extended JSON', [
    { $oid: '507f1f77bcf86cd799439011' },
    { $date: 0 },
    { $numberLong: '1' },
    { $binary: { base64: '', subType: '00' } },
  ]),
  odd('own-fields', 'objects with the names of our own fields', {
    etag: 'e',
    control: { layout: 99 },
    layout: 99,
    schema_version: 99,
    history: [],
    value: null,
    schema: 7,
  }),
  odd('long-key', 'long keys', { ['k'.repeat(5_000)]: 1 }),
  odd(
    'many-keys',
    'objects with many keys',
    Object.fromEntries(Array.from({ length: 2_000 }, (_, key) => [`key ${key}`, key])),
  ),
  odd(
    'long-array',
    'long arrays',
    Array.from({ length: 5_000 }, (_, index) => index),
  ),
  odd('deep', 'values nested 100 levels', nested(100)),
  odd('long-text', 'texts of 300 KB', '0123456789abcdeé'.repeat(19_000)),
] as const;
