import { places } from '../lines.mjs';
import { isSource } from '../repository.mjs';

/** The rules of style that Biome decides with a real parser, and which nobody may therefore switch off. */
const guards = [
  ['suspicious', 'noExplicitAny', '`any` ends type checking for all that it touches'],
  ['style', 'noEnum', 'an enum is code where a union of literals is only a type'],
  ['performance', 'noReExportAll', 'with `export *` nobody sees what is public'],
];

/**
 * @param {import('../repository.mjs').Repository} repository
 */
export function linterGuards({ files }) {
  const config = files.find(({ path }) => path === 'biome.json');
  const rules = config ? JSON.parse(config.text).linter?.rules : undefined;
  return guards.flatMap(([group, name, why]) => [
    ...(rules?.[group]?.[name] === 'error' ? [] : [`biome.json: ${name} has to be "error": ${why}`]),
    ...suppressions(files, name).map(({ at }) => `${at} suppresses ${name}: ${why}`),
  ]);
}

const suppressions = (files, name) =>
  files
    .filter(({ path }) => isSource(path))
    .flatMap((file) => places(file, new RegExp(`\\b(?:biome|oxlint|eslint)-(?:ignore|disable).*${name}`)));
