/** Opened and closed at the same depth, so that a block in a list is seen as well. */
const fence = /^([ \t]*)```ts[ \t]*\n([\s\S]*?)^\1```/gm;

const leftAlone = '// not compiled';

/**
 * The TypeScript of a Markdown text, with the line of the text that each block begins in.
 * @param {string} markdown
 * @returns {{ line: number, code: string }[]}
 */
export function blocksOf(markdown) {
  return [...markdown.matchAll(fence)].map((match) => ({
    line: markdown.slice(0, match.index).split('\n').length + 1,
    code: match[2],
  }));
}

/** @param {{ code: string }} block */
export const isCompiled = ({ code }) => !code.trimStart().startsWith(leftAlone);
