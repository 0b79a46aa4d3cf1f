import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const specifier = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*(['"])([@\w][\w@:./-]*)\1/g;

/**
 * The packages, Node's own included, that the files of an installed package name.
 * @param {string} folder
 * @param {RegExp} files which of its files
 * @returns {string[]}
 */
export function importsIn(folder, files) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => files.test(name));
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(specifier)].map((match) => packageOf(match[2]))))];
}

/** @param {string} path */
const packageOf = (path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/');
