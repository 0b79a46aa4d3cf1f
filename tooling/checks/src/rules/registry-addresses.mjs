import { places } from '../lines.mjs';

const hosts = ['registry\\.npmjs', 'registry\\.yarnpkg', 'npm\\.pkg\\.github', 'pypi\\.', 'files\\.pythonhosted'];
const patterns = [
  new RegExp(`(?:${hosts.join('|')})(?:org|com|io)?`),
  /https?:\/\/\S+\.(?:tgz|whl|tar\.gz)\b/,
  /\b(?:registry|index-url|tarball|resolved)["']?\s*[:=]\s*["']?https?:/,
  /\btarball:\s*\S/,
];

/**
 * Everybody installs from the registry that their own machine is set up for.
 * @param {import('../repository.mjs').Repository} repository
 */
export const registryAddresses = ({ files }) =>
  files
    .filter(({ path }) => !path.startsWith('tooling/checks/'))
    .flatMap((file) => patterns.flatMap((pattern) => places(file, pattern)))
    .map(
      ({ at, found }) =>
        `${at} has ${found}: the address of a package registry breaks the installation wherever it is not in reach`,
    );
