import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/** An old Node would fail later, in a way that does not name the reason. */
export function needNode(version = process.versions.node) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const least = engines.node.replace('>=', '');
  if (!isAtLeast(version, least)) throw new Error(`Node.js ${least} or newer is needed, this is ${version}`);
}

/**
 * @param {string} version
 * @param {string} least
 */
export function isAtLeast(version, least) {
  const parts = version.split('.').map(Number);
  for (const [index, wanted] of least.split('.').map(Number).entries()) {
    const found = parts[index] ?? 0;
    if (found !== wanted) return found > wanted;
  }
  return true;
}
