import { importsOf, ownName, packageName } from '../imports.mjs';
import { isSource, isTest } from '../repository.mjs';

const folder = 'packages/core';
const allowed = ['valibot'];

/**
 * The core knows neither a store nor a model: whatever it imported, every user would have to install.
 * @param {import('../repository.mjs').Repository} repository
 */
export function coreStandsAlone({ files, packages }) {
  const manifest = packages.find((candidate) => candidate.folder === folder)?.manifest ?? {};
  const needed = ['dependencies', 'peerDependencies', 'optionalDependencies'].flatMap((field) =>
    Object.keys(manifest[field] ?? {}),
  );
  const sources = files.filter(({ path }) => path.startsWith(`${folder}/`) && isSource(path));
  return [
    ...needed
      .filter((name) => !allowed.includes(name))
      .map((name) => `${folder}/package.json needs ${name}: core's only dependency is valibot`),
    ...sources.flatMap(wrongImports),
  ];
}

function wrongImports({ path, text }) {
  return importsOf(text)
    .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
    .filter((specifier) => (isTest(path) ? ownName(specifier) : !allowed.includes(packageName(specifier))))
    .map(
      (specifier) =>
        `${path} imports ${specifier}: core is what everything else builds on, so it builds on valibot only`,
    );
}
