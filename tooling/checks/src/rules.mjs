import { adaptersNeedCoreOnly } from './rules/adapters-need-core-only.mjs';
import { borders } from './rules/borders.mjs';
import { conformanceStandsAlone } from './rules/conformance-stands-alone.mjs';
import { coreFolders } from './rules/core-folders.mjs';
import { coreStandsAlone } from './rules/core-stands-alone.mjs';
import { links } from './rules/links.mjs';
import { linterGuards } from './rules/linter-guards.mjs';
import { machinePaths } from './rules/machine-paths.mjs';
import { publicPackages } from './rules/public-packages.mjs';
import { registryAddresses } from './rules/registry-addresses.mjs';

/** Each takes the repository and gives a line for each violation, which says where, what and why. */
export const rules = [
  adaptersNeedCoreOnly,
  borders,
  conformanceStandsAlone,
  coreFolders,
  coreStandsAlone,
  linterGuards,
  links,
  machinePaths,
  publicPackages,
  registryAddresses,
];
