import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { failure } from './case.ts';
import { cases } from './cases.ts';
import { failuresDocument, faultsDocument } from './document.ts';
import { row } from './row.ts';
import { rows } from './rows.ts';
import { findTitles } from './titles.ts';
import { unknownIds } from './verdict.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const titles = findTitles(root);
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

describe('the lists', () => {
  test('hold 127 faults and 99 failures, each once', () => {
    expect([new Set(rows.map(({ id }) => id)).size, rows.length]).toEqual([127, 127]);
    expect([new Set(cases.map(({ id }) => id)).size, cases.length]).toEqual([99, 99]);
  });

  test('know every id that a test names', () => {
    const named = titles.map(({ text }) => text);
    expect(unknownIds(named, [...rows, ...cases])).toEqual([]);
  });
});

describe('the documents are up to date: `npm run faults -- --docs` writes them', () => {
  const lines = (text: string) => new Set(text.split('\n'));
  /** What is only in one of them: the whole tables would say nothing to anybody. */
  const difference = (path: string, made: string) => {
    const [were, are] = [lines(read(path)), lines(made)];
    return [...were, ...are].filter((line) => !(were.has(line) && are.has(line)));
  };

  test('docs/faults.md', () => expect(difference('docs/faults.md', faultsDocument(rows, titles))).toEqual([]));
  test('docs/failures.md', () => expect(difference('docs/failures.md', failuresDocument(cases, titles))).toEqual([]));
});

describe('a line of a document', () => {
  const named = (text: string, file: string) => ({ text: `[${text.replace(' ', '] ')}`, file });
  const found = [named('B1 is | it', 'z.test.ts'), named('B1 is it', 'a/a.test.ts'), named('B11 other', 'b.test.ts')];
  const lastLine = (text: string) => text.trimEnd().split('\n').at(-1);

  test('has the titles in a stable order, with their files, and what they ran on', () => {
    const line =
      '| B1 | it breaks | is it ([a.test.ts](../a/a.test.ts))<br>is \\| it ([z.test.ts](../z.test.ts)) | real redis |';
    const document = (titles: typeof found) => lastLine(faultsDocument([row('B1', 'it breaks', 'redis')], titles));
    expect(document(found)).toBe(line);
    expect(document(found.toReversed())).toBe(line);
  });

  test('says that there is no test, or why there needs to be none', () => {
    expect(lastLine(faultsDocument([row('B2', 'it breaks')], found))).toBe(
      '| B2 | it breaks | **no test** | in process |',
    );
    expect(lastLine(failuresDocument([failure('S-A', 'it breaks')], found))).toContain('**no test**');
    expect(lastLine(failuresDocument([failure('S-A', 'it breaks', 'why')], found))).toContain('Does not apply: why');
  });
});
