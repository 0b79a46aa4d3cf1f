import { TextDecoder } from 'node:util';
import { brokenConnection, wrongAnswer } from './failures.ts';
import type { Limit } from './limit.ts';

/** The largest answer that is read, in bytes. */
const maxAnswerBytes = 32_000_000;

/** The body's text as it comes. Ends with an error where the connection breaks, or the limit does. */
export async function* textIn(response: Response, limit: Limit): AsyncGenerator<string> {
  if (!response.body) throw wrongAnswer('is empty');
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await read(reader, limit);
      if (done) break;
      limit.touch();
      bytes += value.byteLength;
      if (bytes > maxAnswerBytes) throw wrongAnswer(`is larger than ${maxAnswerBytes} bytes`);
      yield decode(decoder, value);
    }
    yield decode(decoder);
  } finally {
    // Whatever is left of the body is not wanted, and whether it breaks now does not matter.
    reader.cancel().catch(() => {});
  }
}

/** All of the body's text. */
export async function wholeText(response: Response, limit: Limit): Promise<string> {
  let text = '';
  for await (const piece of textIn(response, limit)) text += piece;
  return text;
}

export function parseJson(text: string): unknown {
  if (text.trim() === '') throw wrongAnswer('is empty');
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes what it read, which is content: it is not kept.
    throw wrongAnswer('is not JSON');
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>, limit: Limit) {
  try {
    return await limit.within(reader.read());
  } catch (error) {
    if (limit.signal.aborted) throw limit.signal.reason;
    throw brokenConnection(error);
  }
}

function decode(decoder: TextDecoder, value?: Uint8Array): string {
  try {
    return decoder.decode(value, { stream: value !== undefined });
  } catch {
    throw wrongAnswer('is not UTF-8');
  }
}
