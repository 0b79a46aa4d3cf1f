import { describe, expect, test } from 'vitest';
import { madeRepository } from '../test/made-repository.ts';
import { filesFor, findTitles } from './titles.ts';

const named = (id: string) => `test('[${id}] it waits', () => {});\n`;

describe('the titles of a repository', () => {
  test('are those of its tests and of the cases of the conformance suite, by file', () => {
    const root = madeRepository({
      'packages/b/test/deep/b.test.mjs': named('B2'),
      'packages/a/src/a.test.ts': named('B1'),
      'packages/a/src/a.ts': named('B3'),
      'packages/a/dist/a.test.ts': named('B4'),
      'packages/conformance/src/cases/c.ts': named('B5'),
      'tooling/faults/src/d.test.ts': named('B6'),
    });
    const text = (id: string) => `[${id}] it waits`;
    expect(findTitles(root)).toEqual([
      { text: text('B1'), file: 'packages/a/src/a.test.ts' },
      { text: text('B2'), file: 'packages/b/test/deep/b.test.mjs' },
      { text: text('B5'), file: 'packages/conformance/src/cases/c.ts' },
    ]);
  });

  test('are run by their files, and those of the suite by all that run it', () => {
    const root = madeRepository({
      'packages/a/src/a.test.ts': `${named('B1')}${named('B2')}`,
      'packages/a/src/suite.test.ts': "import { conformance } from 'x';\n\nconformance(target);\n",
      'apps/b/src/b.test.ts': "test('that conformance() is not called here', () => {});\n",
      'packages/conformance/src/cases/c.ts': named('B5'),
    });
    const titles = findTitles(root);
    const filesOf = (id: string) =>
      filesFor(
        root,
        titles.filter(({ text }) => text.includes(id)),
      );
    expect(filesOf('B')).toEqual(['packages/a/src/a.test.ts', 'packages/a/src/suite.test.ts']);
    expect(filesOf('B1')).toEqual(['packages/a/src/a.test.ts']);
    expect(filesOf('B5')).toEqual(['packages/a/src/suite.test.ts']);
  });
});
