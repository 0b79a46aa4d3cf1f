import { join } from 'node:path/posix';
import { importsOf } from '../imports.mjs';
import { isSource, packageOf } from '../repository.mjs';

/** Made-up imports that this rule is tested with. */
const examples = 'tooling/checks/test/';

/**
 * Packages meet through their `exports` only.
 * @param {import('../repository.mjs').Repository} repository
 */
export const borders = ({ files }) =>
  files
    .filter(({ path }) => isSource(path) && !path.startsWith(examples))
    .flatMap((file) =>
      importsOf(file.text)
        .filter(
          (specifier) =>
            specifier.startsWith('.') && packageOf(join(file.path, '..', specifier)) !== packageOf(file.path),
        )
        .map(
          (specifier) =>
            `${file.path} imports ${specifier}: a path across a package's border skips its exports and its dependencies`,
        ),
    );
