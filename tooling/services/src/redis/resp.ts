/** What a Redis server answers (RESP2), as plain data. */
export type Reply = string | number | null | readonly Reply[];

/** The server's own `-ERR …` line. */
export class RedisReplyError extends Error {
  override name = 'RedisReplyError';
}

export function encodeCommand(args: readonly string[]): string {
  const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return `*${args.length}\r\n${parts.join('')}`;
}

interface Parsed {
  readonly reply: Reply;
  readonly end: number;
}

/** The first reply in the bytes, or undefined while it is incomplete. */
export function parseReply(bytes: Buffer, start = 0): Parsed | undefined {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd < 0) return undefined;
  const line = bytes.toString('utf8', start + 1, lineEnd);
  const next = lineEnd + 2;
  switch (String.fromCharCode(bytes[start] ?? 0)) {
    case '+':
      return { reply: line, end: next };
    case '-':
      throw new RedisReplyError(line);
    case ':':
      return { reply: Number(line), end: next };
    case '$':
      return parseBulk(bytes, next, Number(line));
    case '*':
      return parseArray(bytes, next, Number(line));
    default:
      throw new Error(`not a Redis reply: ${line}`);
  }
}

function parseBulk(bytes: Buffer, start: number, length: number): Parsed | undefined {
  if (length < 0) return { reply: null, end: start };
  const end = start + length;
  return bytes.length < end + 2 ? undefined : { reply: bytes.toString('utf8', start, end), end: end + 2 };
}

function parseArray(bytes: Buffer, start: number, length: number): Parsed | undefined {
  if (length < 0) return { reply: null, end: start };
  const items: Reply[] = [];
  let end = start;
  while (items.length < length) {
    const item = parseReply(bytes, end);
    if (item === undefined) return undefined;
    items.push(item.reply);
    end = item.end;
  }
  return { reply: items, end };
}
