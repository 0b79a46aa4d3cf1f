import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventsIn } from './events.ts';

async function eventsOf(...pieces: string[]): Promise<string[]> {
  async function* text() {
    yield* pieces;
  }
  const events: string[] = [];
  for await (const event of eventsIn(text())) events.push(event);
  return events;
}

it.each([
  ['LF', 'data: a\n\ndata: b\n\n'],
  ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
  ['CR', 'data: a\r\rdata: b\r\r'],
  ['no space', 'data:a\n\ndata:b\n\n'],
  ['comments and other fields', ': ping\n\nevent: x\nid: 1\ndata: a\n\nretry: 5\ndata: b\n\n'],
  ['more blank lines', '\n\n\ndata: a\n\n\n\ndata: b\n\n\n'],
  ['no blank line at the end', 'data: a\n\ndata: b'],
])('reads events with %s', async (_what, text) => {
  expect(await eventsOf(text)).toEqual(['a', 'b']);
});

it('joins the lines of one event', async () => {
  expect(await eventsOf('data: a\ndata: b\n\n')).toEqual(['a\nb']);
});

it('reads the same however the text is cut', async () => {
  const text = 'data: {"a":1}\r\n\r\n: ping\r\ndata: x\r\ndata:  y\r\n\r\ndata: [DONE]\n\n';
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(text.length)), async (places) => {
      const cuts = [0, ...places.toSorted((a, b) => a - b), text.length];
      const pieces = cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
      expect(await eventsOf(...pieces)).toEqual(['{"a":1}', 'x\n y', '[DONE]']);
    }),
  );
});
