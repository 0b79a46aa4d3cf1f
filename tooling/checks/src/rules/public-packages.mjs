const sourceCondition = '@agent-state/source';
const order = [sourceCondition, 'types', 'default'];

/**
 * What a package on a registry owes its users.
 * @param {import('../repository.mjs').Repository} repository
 */
export const publicPackages = ({ files, packages }) =>
  packages
    .filter(({ manifest }) => manifest.private !== true)
    .flatMap(({ folder, manifest }) =>
      duties(files)
        .filter(([, isMet]) => !isMet(manifest, folder))
        .map(([message]) => `${folder}: ${message}`),
    );

/** @returns {[string, (manifest: any, folder: string) => boolean][]} */
const duties = (files) => [
  ['needs a README.md: it is the page that people see', (_, folder) => hasText(files, `${folder}/README.md`)],
  [
    'publishConfig.exports has to be exports without the source condition: src is not in the package',
    ({ exports, publishConfig }) => same(publishConfig?.exports, published(exports)),
  ],
  [
    `each export lists ${order.join(', ')} in this order: the first condition that matches wins`,
    ({ exports }) => Object.values(exports ?? {}).every((entry) => same(Object.keys(entry), order)),
  ],
  [
    'has to be "type": "module" and "sideEffects": false',
    ({ type, sideEffects }) => type === 'module' && sideEffects === false,
  ],
  [
    '"files" publishes dist and keeps the build information out',
    ({ files: listed }) => same(listed, ['dist', '!dist/.tsbuildinfo']),
  ],
  [
    'needs its "build" as "prepack" too: in a fresh clone there is no dist, and npm would pack a package without code',
    ({ scripts }) => scripts?.build !== undefined && scripts.prepack === scripts.build,
  ],
  ['needs "license" and "engines": people look for both', ({ license, engines }) => Boolean(license && engines?.node)],
];

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const hasText = (files, wanted) => files.some(({ path, text }) => path === wanted && text.trim().length > 0);

/** The exports as a user of the published package may see them. */
function published(exports = {}) {
  const withoutSource = (conditions) => Object.entries(conditions).filter(([name]) => name !== sourceCondition);
  return Object.fromEntries(
    Object.entries(exports).map(([path, conditions]) => [path, Object.fromEntries(withoutSource(conditions))]),
  );
}
