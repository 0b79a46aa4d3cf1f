import { describe, expect, test } from 'vitest';
import { titlesIn } from './titles-in.ts';

// Written so that this file holds no title with an id.
const id = (name: string) => `[${name}]`;

describe('the titles in a source', () => {
  test.each([
    ["in each kind of quotes: '", `it('${id('A1')} one', () => {`, `${id('A1')} one`],
    ['in each kind of quotes: "', `it("${id('A1')} the reader's", () => {`, `${id('A1')} the reader's`],
    ['in each kind of quotes: `', `it(\`${id('A1')} two\`, () => {`, `${id('A1')} two`],
    ['of requirements', `  requirement:\n    '${id('S-TTL-03')} three',`, `${id('S-TTL-03')} three`],
    ['with what was escaped', `it('${id('A1')} it\\'s', () => {`, `${id('A1')} it's`],
    ['with several ids', `it('${id('A1')} ${id('S-ORD-01')} four', () => {`, `${id('A1')} ${id('S-ORD-01')} four`],
    ['behind an apostrophe in a comment', `// the reader's\nit('${id('A1')} five');`, `${id('A1')} five`],
  ])('are found %s', (_, source, title) => {
    expect(titlesIn(source)).toEqual([title]);
  });

  test('have a dot for what differs from test to test', () => {
    expect(titlesIn(`it(\`${id('A1')} on \${store.name}\`); it.each([1])('${id('A1')} on %s, $name');`)).toEqual([
      `${id('A1')} on …`,
      `${id('A1')} on …, …`,
    ]);
  });

  test('stand behind those of the groups around them', () => {
    const source = [
      "describe('a', () => {",
      "  describe.each(stores)('b', () => {",
      `    it('${id('A1')} one', () => {`,
      '  });',
      '',
      '  describe.each([',
      '    [1],',
      "  ])('c %i', () => {",
      '    it.each([',
      '      [1],',
      `    ])('${id('A2')} two', () => {`,
      '  });',
      `  it('${id('A3')} three', () => {`,
      '});',
      `describe.skipIf(!url)('${id('A4')} d', () => {`,
      `  it('${id('A5')} four');`,
    ];
    expect(titlesIn(source.join('\n'))).toEqual([
      `a › b › ${id('A1')} one`,
      `a › c … › ${id('A2')} two`,
      `a › ${id('A3')} three`,
      `${id('A4')} d`,
      `${id('A4')} d › ${id('A5')} four`,
    ]);
  });

  test.each(["it('no id')", "const last = '[DONE]';", "list[A1] + 'x'"])('are not: %s', (source) => {
    expect(titlesIn(source)).toEqual([]);
  });
});
