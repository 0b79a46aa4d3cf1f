/**
 * The data of each server-sent event in a text that comes in pieces. Lines end with LF, CRLF or CR; several `data`
 * lines are one event; everything else (comments, other fields) is skipped. The last event may lack its blank line.
 */
export async function* eventsIn(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of linesIn(pieces)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n');
      data = [];
    } else if (line.startsWith('data:')) {
      data.push(line.startsWith('data: ') ? line.slice(6) : line.slice(5));
    }
  }
  if (data.length > 0) yield data.join('\n');
}

async function* linesIn(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  // A CR at the end of a piece may be the first half of a CRLF: it waits for the next one.
  let held = '';
  for await (const piece of pieces) {
    const text = held + piece;
    held = text.endsWith('\r') ? '\r' : '';
    const [first = '', ...others] = text.slice(0, text.length - held.length).split(/\r\n|\n|\r/);
    rest += first;
    for (const line of others) {
      yield rest;
      rest = line;
    }
  }
  if (rest !== '') yield rest;
}
