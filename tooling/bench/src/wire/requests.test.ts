import { describe, expect, test } from 'vitest';
import { parseMongo } from './mongo.ts';
import { parseRedis } from './redis.ts';
import { cutter, type Parse } from './requests.ts';

function redis(...args: readonly string[]): Buffer {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return Buffer.from(`*${args.length}\r\n${parts.join('')}`);
}

/** An OP_MSG with a body whose first key is the command; what follows is not looked at. */
function mongo(command: string, filler: number): Buffer {
  const body = Buffer.concat([Buffer.alloc(4), Buffer.from([0x10]), Buffer.from(`${command}\0`), Buffer.alloc(filler)]);
  const header = Buffer.alloc(16 + 4 + 1);
  header.writeInt32LE(header.length + body.length, 0);
  header.writeInt32LE(2013, 12);
  return Buffer.concat([header, body]);
}

describe.each<[string, Parse, readonly [string, Buffer][]]>([
  [
    'Redis',
    parseRedis,
    [
      ['set', redis('SET', 'ä', '\r\n*3\r\n')],
      ['ping', redis('PING')],
      ['get', redis('GET', '')],
    ],
  ],
  [
    'MongoDB',
    parseMongo,
    [
      ['update', mongo('update', 300)],
      ['hello', mongo('hello', 0)],
      ['find', mongo('find', 7)],
    ],
  ],
])('what a client says to %s', (_, parse, said) => {
  const bytes = Buffer.concat(said.map(([, request]) => request));
  const expected = said.map(([name, request]) => ({ name, bytes: request.length }));

  test.each([1, 2, 7, 64, 10_000])('is cut into whole requests, arriving %i bytes at a time', (size) => {
    const cut = cutter(parse);
    const found = [];
    for (let at = 0; at < bytes.length; at += size) found.push(...cut(bytes.subarray(at, at + size)));
    expect(found).toEqual(expected);
  });
});
