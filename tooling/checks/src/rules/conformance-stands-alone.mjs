import { importsOf, ownName, packageName } from '../imports.mjs';
import { adapters, isSource, isTest } from '../repository.mjs';

const runners = ['vitest', 'node:test', 'mocha', '@jest/globals'];
/** A test runner appears only in the file that binds the suite to it. */
const bindings = { vitest: /\/vitest\.ts$/, 'node:test': /\/node-test\.ts$/ };

/**
 * The suite is data. It runs under any runner, on adapters it has never heard of.
 * @param {import('../repository.mjs').Repository} repository
 */
export const conformanceStandsAlone = ({ files }) =>
  files
    .filter(({ path }) => path.startsWith('packages/conformance/src/') && isSource(path) && !isTest(path))
    .flatMap(({ path, text }) => importsOf(text).flatMap((specifier) => violations(path, specifier)));

function violations(path, specifier) {
  if (adapters.includes(ownName(specifier) ?? '')) {
    return [`${path} imports ${specifier}: the suite must not know the adapters that it judges`];
  }
  const name = packageName(specifier);
  if (runners.includes(name) && !bindings[name]?.test(path)) {
    return [`${path} imports ${specifier}: the suite is data without a test runner; only its binding knows one`];
  }
  return [];
}
