import { join } from 'node:path/posix';
import { importsOf } from '../imports.mjs';
import { isSource, isTest } from '../repository.mjs';

const source = 'packages/core/src/';

/** What each folder of the core may not know. The record of a thread is plain data: it knows none that uses it. */
const unknown = [
  { folder: 'agent/record/', to: [/^agent\/(?!record\/)/, /^threads\//] },
  { folder: 'agent/saving/', to: [/^agent\/(run|factory|service)/, /^threads\//] },
  { folder: 'threads/', to: [/^agent\/(run\/|factory|service|api|tool)/] },
  { folder: 'protocol/', to: [/^agent\//, /^threads\//] },
  { folder: 'state/', to: [/^agent\//, /^threads\//] },
];

/**
 * Inside the core knowledge goes one way, so that its middle can be read, and tested, alone.
 * @param {import('../repository.mjs').Repository} repository
 */
export const coreFolders = ({ files }) =>
  files.filter(({ path }) => path.startsWith(source) && isSource(path) && !isTest(path)).flatMap(wrongImports);

function wrongImports({ path, text }) {
  const own = path.slice(source.length);
  const { folder = '', to = [] } = unknown.find((rule) => own.startsWith(rule.folder)) ?? {};
  return importsOf(text)
    .map((specifier) => join(own, '..', specifier))
    .filter((target) => to.some((pattern) => pattern.test(target)))
    .map((target) => `${path} imports ${target}: what is in ${folder} has to stand without it`);
}
