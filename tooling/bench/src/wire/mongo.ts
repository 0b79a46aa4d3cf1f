import type { Parse } from './requests.ts';

const opMsg = 2013;

/** A MongoDB request: a header that begins with the length; in OP_MSG the first key of the body is the command. */
export const parseMongo: Parse = (bytes) => {
  if (bytes.length < 16) return { needed: 16 };
  const length = bytes.readInt32LE(0);
  if (bytes.length < length) return { needed: length };
  return { name: bytes.readInt32LE(12) === opMsg ? commandOf(bytes) : 'hello', bytes: length };
};

/** Behind the header: 4 bytes of flags, a section of kind 0, the length of its document, a type, and the key. */
function commandOf(bytes: Buffer): string {
  const key = 16 + 4 + 1 + 4 + 1;
  return bytes.toString('latin1', key, bytes.indexOf(0, key)).toLowerCase();
}

/** What a driver says to connect and to stay connected; and making indexes. */
export const ownOfMongoDrivers = new Set(['buildinfo', 'createindexes', 'endsessions', 'hello', 'ismaster', 'ping']);
