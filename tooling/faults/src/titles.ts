import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { titlesIn } from './titles-in.ts';

/** A title in the sources that names rows or cases. */
export interface Title {
  readonly text: string;
  /** From the root of the repository. */
  readonly file: string;
}

/** All titles with an id in the repository, by file. */
export const findTitles = (root: string): Title[] =>
  sources(root).flatMap((file) => titlesIn(readFileSync(join(root, file), 'utf8')).map((text) => ({ text, file })));

/** Tests, and the cases of the conformance suite, whose titles are those of the tests that run it. */
const holdsTitles = /\.test\.(ts|mjs)$|^packages\/conformance\/src\/cases\//;
/** Its own tests make titles up. */
const own = 'tooling/faults/';

function sources(root: string): string[] {
  const folders = ['packages', 'apps', 'tooling'].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((name) => [`${group}/${name}/src`, `${group}/${name}/test`]),
  );
  return folders
    .filter((folder) => statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory())
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
    )
    .filter((file) => holdsTitles.test(file) && !file.startsWith(own) && !basename(file).startsWith('.'))
    .sort();
}

/** The test files that have to run for these titles. */
export function filesFor(root: string, titles: readonly Title[]): string[] {
  const files = new Set(titles.map(({ file }) => file));
  const inSuite = [...files].some((file) => !/\.test\.(ts|mjs)$/.test(file));
  const suites = inSuite ? sources(root).filter((file) => runsSuite(readFileSync(join(root, file), 'utf8'))) : [];
  return [...new Set([...files, ...suites])].filter((file) => /\.test\.(ts|mjs)$/.test(file)).sort();
}

const runsSuite = (text: string): boolean => /^\s*conformance\(/m.test(text);
