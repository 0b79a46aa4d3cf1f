import type { Parse } from './requests.ts';

/** A Redis request: an array of strings, each with its length in front. */
export const parseRedis: Parse = (bytes) => {
  const count = header(bytes, 0, '*');
  if (!count) return { needed: bytes.length + 1 };
  let at = count.next;
  let name = '';
  for (let part = 0; part < count.value; part += 1) {
    const size = header(bytes, at, '$');
    if (!size) return { needed: bytes.length + 1 };
    const end = size.next + size.value;
    if (end + 2 > bytes.length) return { needed: end + 2 };
    if (part === 0) name = bytes.toString('latin1', size.next, end).toLowerCase();
    at = end + 2;
  }
  return { name, bytes: at };
};

/** `*3\r\n`: the number, and where the next thing begins. */
function header(bytes: Buffer, at: number, sign: string): { value: number; next: number } | undefined {
  const end = bytes.indexOf('\r\n', at);
  if (end < 0) return undefined;
  const line = bytes.toString('latin1', at, end);
  if (!line.startsWith(sign)) throw new Error(`not a Redis request: expected ${sign}`);
  return { value: Number(line.slice(1)), next: end + 2 };
}

/** What a client says to connect, to find out where it is, and to stay connected; and bringing a script. */
export const ownOfRedisClients = new Set([
  'auth',
  'client',
  'cluster',
  'command',
  'config',
  'eval',
  'hello',
  'info',
  'ping',
  'readonly',
  'script',
  'select',
]);
