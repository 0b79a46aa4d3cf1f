import { expect, test } from 'vitest';
import { blocksOf, isCompiled } from '../src/blocks.mjs';

test('the ts blocks of a text are found with their lines, in lists too, and no others', () => {
  const text = '# A\n```ts\nconst a = 1;\n```\n```sh\nls\n```\n1. b\n\n   ```ts\n   const b = 2;\n   ```\n';
  expect(blocksOf(text)).toEqual([
    { line: 3, code: 'const a = 1;\n' },
    { line: 11, code: '   const b = 2;\n' },
  ]);
});

test('only a first line that says so leaves a block alone', () => {
  expect(isCompiled({ code: '// not compiled: why\na();\n' })).toBe(false);
  expect(isCompiled({ code: 'a();\n// not compiled\n' })).toBe(true);
});
