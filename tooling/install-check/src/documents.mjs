import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, isCompiled } from './blocks.mjs';
import { root } from './workspace.mjs';

/** Names that stand for the reader's own things. */
const prelude = `
declare const vault: { read(path: string, key: string): Promise<string> };
declare const checkOrderStatus: import('@agent-state/core').Tool;
declare module 'my-store' {
  import type { Checkpointer } from '@agent-state/core';
  export function createMyCheckpointer(options: { url: string; namespace: string }): Checkpointer;
  export const myStore: { everything(namespace: string): Promise<string[]>; drop(namespace: string): Promise<void> };
}
`;

/** Paths of the Markdown files that people read before they write code. */
export function documents() {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((path) => `docs/${path}`);
  const readmes = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`);
  return ['README.md', ...docs, ...readmes].filter((path) => path.endsWith('.md') && existsSync(join(root, path)));
}

/** @param {string} path */
export const readDocument = (path) => readFileSync(join(root, path), 'utf8');

/**
 * The blocks of a document as modules in a folder with its name. A block whose first line is a comment with a file's
 * name has that name, and the document's other blocks may import it. Lines keep their numbers, for the error messages.
 * @param {string} document
 * @returns {{ path: string, code: string }[]}
 */
export function modulesOf(document) {
  return blocksOf(readDocument(document))
    .filter(isCompiled)
    .map(({ line, code }) => {
      const name = code.match(/^\/\/ ([\w-]+\.ts)\n/)?.[1] ?? `line-${line}.ts`;
      return { path: `${document}/${name}`, code: '\n'.repeat(line - 1) + code };
    });
}

/**
 * Writes all of them where our packages are installed, below `folder`.
 * @param {{ write: (path: string, text: string) => void }} installation
 * @param {string} folder
 * @returns {string[]} paths, from the installation's folder
 */
export function writeModules({ write }, folder) {
  write(`${folder}/package.json`, '{ "type": "module" }');
  write(`${folder}/prelude.d.ts`, prelude);
  const modules = documents().flatMap(modulesOf);
  for (const { path, code } of modules) write(`${folder}/${path}`, code);
  return [`${folder}/prelude.d.ts`, ...modules.map(({ path }) => `${folder}/${path}`)];
}
