import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * @typedef {{ name: string, folder: string, manifest: any }} Package
 */

/**
 * The packages that are published.
 * @returns {readonly Package[]}
 */
export function publicPackages() {
  const folders = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  return folders
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }))
    .filter(({ manifest }) => !manifest.private)
    .map(({ folder, manifest }) => ({ name: manifest.name, folder, manifest }));
}

/**
 * What can be imported of a package: `@agent-state/x`, `@agent-state/x/y`.
 * @param {Package} published
 */
export const entriesOf = ({ name, manifest }) =>
  Object.keys(manifest.publishConfig.exports).map((path) => name + path.slice(1));

/**
 * What a package may import: nothing else is there for sure where it is installed.
 * @param {Package} published
 */
export const allowedImports = ({ name, manifest }) => [
  name,
  ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
];

/**
 * @param {readonly Package[]} packages
 */
export function assertBuilt(packages) {
  const missing = packages.flatMap(({ folder, manifest }) =>
    Object.values(manifest.publishConfig.exports)
      .flatMap((conditions) => Object.values(conditions))
      .map((path) => join(folder, path))
      .filter((path) => !existsSync(path)),
  );
  if (missing.length > 0) throw new Error(`not built: run \`npm run build\` first; missing are\n${missing.join('\n')}`);
}
