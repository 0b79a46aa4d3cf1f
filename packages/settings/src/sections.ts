import { configurationError } from './faults.ts';
import type { Layer } from './layers.ts';
import { allBut, nearest } from './suggestions.ts';
import { isTable, own, type Table } from './table.ts';

const defaultSection = 'default';
const tables = ['ai', 'database'];

/**
 * The layers of one file. It is sectioned where it has a table `default` or one of the active environment: then those
 * two count, in that order, and all other sections are for other environments. Otherwise its tables stand as they are.
 */
export function layersOfFile(file: Table, path: string, environment: string | undefined): Layer[] {
  refuseNearDefault(file, path, environment);
  const names = sectionNames(file, environment);
  if (names.length === 0) return [{ source: path, table: file }];
  refuseBareTables(file, path, names);
  return names.map((name) => ({ source: `${path} [${name}]`, table: section(file, name, path) }));
}

function sectionNames(file: Table, environment: string | undefined): string[] {
  const ofEnvironment = Object.keys(file).filter((name) => name.toLowerCase() === environment);
  const names = [defaultSection, ...ofEnvironment.filter((name) => name !== defaultSection)];
  return names.filter((name) => own(file, name) !== undefined);
}

function section(file: Table, name: string, path: string): Table {
  const table = own(file, name);
  if (isTable(table)) return table;
  throw configurationError(path, `${path}: ${name}: expected a table, the section [${name}].`);
}

/** In a sectioned file a table outside of every section would be ignored, which nobody who wrote it expects. */
function refuseBareTables(file: Table, path: string, sections: readonly string[]): void {
  const bare = tables.find((name) => own(file, name) !== undefined && !sections.includes(name));
  if (bare === undefined) return;
  throw configurationError(path, `${path}: [${bare}] is outside of every section; write [${defaultSection}.${bare}].`);
}

/** A section that is all but `default` would be taken for another environment's and ignored. */
function refuseNearDefault(file: Table, path: string, environment: string | undefined): void {
  if (tables.some((name) => own(file, name) !== undefined)) return;
  const near = Object.keys(file).find((name) => allBut(name, [defaultSection]) && name.toLowerCase() !== environment);
  if (near === undefined) return;
  throw configurationError(path, `${path}: unknown section [${near}]; did you mean [${defaultSection}]?`);
}

/** For an environment that nothing is written for: refused where a section of the file is likely to be meant. */
export function refuseNearEnvironment(file: Table, path: string, environment: string): void {
  const sections = Object.keys(file).filter((name) => name !== defaultSection && isTable(file[name]));
  if (own(file, defaultSection) === undefined || environment === defaultSection) return;
  if (sections.some((name) => name.toLowerCase() === environment)) return;
  const meant = nearest(environment, sections);
  if (meant === undefined) return;
  throw configurationError(
    path,
    `${path}: no section [${environment}]; did you mean the environment "${meant}"? If not, write an empty [${environment}].`,
  );
}
