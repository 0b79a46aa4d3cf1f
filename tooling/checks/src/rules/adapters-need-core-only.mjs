import { importsOf, ownName } from '../imports.mjs';
import { adapters, isSource, isTest } from '../repository.mjs';

const atRunTime = ['dependencies', 'peerDependencies', 'optionalDependencies'];
const forTests = ['core', 'conformance', 'services'];
const why = 'who installs one adapter gets the core and nothing else of ours';

/**
 * @param {import('../repository.mjs').Repository} repository
 */
export function adaptersNeedCoreOnly({ files, packages }) {
  return adapters.flatMap((adapter) => {
    const folder = `packages/${adapter}`;
    const manifest = packages.find((candidate) => candidate.folder === folder)?.manifest;
    const sources = files.filter(({ path }) => path.startsWith(`${folder}/`) && isSource(path));
    return [...wrongDependencies(folder, manifest ?? {}), ...sources.flatMap(wrongImports)];
  });
}

function wrongDependencies(folder, manifest) {
  const own = (field) => Object.keys(manifest[field] ?? {}).filter(ownName);
  const wrong = [
    ...atRunTime.flatMap(own).filter((name) => ownName(name) !== 'core'),
    ...own('devDependencies').filter((name) => !forTests.includes(ownName(name))),
  ];
  return wrong.map((name) => `${folder}/package.json depends on ${name}: ${why}`);
}

function wrongImports({ path, text }) {
  const allowed = isTest(path) ? forTests : ['core'];
  return importsOf(text)
    .filter((specifier) => ownName(specifier) && !allowed.includes(ownName(specifier)))
    .map((specifier) => `${path} imports ${specifier}: ${why}`);
}
