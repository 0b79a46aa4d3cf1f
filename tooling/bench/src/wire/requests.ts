/** One request as it went over the wire. */
export interface Request {
  /** Its command, in lower case. */
  readonly name: string;
  readonly bytes: number;
}

/** The first request in the bytes; or how many bytes there have to be before it is worth looking again. */
export type Parse = (bytes: Buffer) => Request | { readonly needed: number };

/** Cuts what one connection says into requests. */
export function cutter(parse: Parse): (chunk: Buffer) => Request[] {
  let chunks: Buffer[] = [];
  let length = 0;
  let needed = 1;
  return (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    const found: Request[] = [];
    while (length >= needed) {
      const bytes = Buffer.concat(chunks);
      const parsed = parse(bytes);
      if ('needed' in parsed) {
        needed = parsed.needed;
        chunks = [bytes];
        break;
      }
      found.push(parsed);
      chunks = [bytes.subarray(parsed.bytes)];
      length -= parsed.bytes;
      needed = 1;
    }
    return found;
  };
}
