import type { Fault } from './faults.ts';
import { issuesOf } from './issues.ts';
import { type KnownTable, knownTables, notAppliedToStores, sharedTables } from './known-tables.ts';
import { allBut, nearest } from './suggestions.ts';
import { isTable, kindOf, own, type Path, showPath, type Table, valueAt } from './table.ts';

/** Everything that is wrong with the tables that are known, each on its own; `[]` where nothing is. */
export function faultsOf(settings: Table): Fault[] {
  return [
    ...sharedTables.flatMap((shared) => nearMisses(settings, shared)),
    ...knownTables.flatMap((known) => faultsAt(settings, known)),
  ];
}

function nearMisses(settings: Table, { at, keys }: { at: readonly string[]; keys: readonly string[] }): Fault[] {
  const table = at.length === 0 ? settings : valueAt(settings, at);
  if (table === undefined) return [];
  if (!isTable(table)) return [{ path: at, says: `expected a table, got ${kindOf(table)}.` }];
  return Object.keys(table).flatMap((key) => {
    const meant = allBut(key, keys);
    return meant === undefined ? [] : [unknownKey([...at, key], meant)];
  });
}

function faultsAt(settings: Table, known: KnownTable): Fault[] {
  return placesOf(settings, known).flatMap(({ path, value }) => {
    if (!isTable(value)) return [notATable(path, value)];
    return [...issuesOf(known.schema, value, path), ...(known.open ? [] : unknownKeys(value, path, known))];
  });
}

/** The places of the settings that a pattern means. */
function placesOf(settings: Table, { at }: KnownTable): { path: string[]; value: unknown }[] {
  let places: { path: string[]; value: unknown }[] = [{ path: [], value: settings }];
  for (const step of at) {
    places = places.flatMap(({ path, value }) => {
      if (!isTable(value)) return [];
      const keys = step === '*' ? namesIn(value, path) : Object.keys(value).filter((key) => key === step);
      return keys.map((key) => ({ path: [...path, key], value: own(value, key) }));
    });
  }
  return places;
}

function namesIn(table: Table, path: readonly string[]): string[] {
  const group = knownTables.find(({ at, open }) => open && at.join() === path.join());
  return Object.keys(table).filter((key) => !(group && Object.hasOwn(group.schema.entries, key)));
}

function notATable(path: readonly string[], value: unknown): Fault {
  const parent = knownTables.find(({ at }) => at.join() === path.slice(0, -1).join());
  const meant = parent && nearest(`${path.at(-1)}`, Object.keys(parent.schema.entries));
  const elsewhere = placeOf(`${path.at(-1)}`);
  return { path, says: `expected a table, got ${kindOf(value)}${meant ? `; did you mean ${meant}?` : elsewhere}` };
}

function unknownKeys(table: Table, at: Path, known: KnownTable): Fault[] {
  const names = Object.keys(known.schema.entries);
  return Object.keys(table).flatMap((key) => {
    if (names.includes(key) || isNotApplied(key, at)) return [];
    const reason = known.notHere && own(known.notHere, key);
    if (reason !== undefined) return [{ path: [...at, key], says: `not applied: ${reason}.` }];
    return [unknownKey([...at, key], nearest(key, names))];
  });
}

function isNotApplied(key: string, at: Path): boolean {
  return at[0] === 'database' && Object.hasOwn(notAppliedToStores, key);
}

function unknownKey(path: Path, meant: string | undefined): Fault {
  const key = `${path.at(-1)}`;
  return { path, says: `unknown key${meant === undefined ? placeOf(key) : `; did you mean ${meant}?`}` };
}

/** Where a key that is in the wrong table belongs; ends the sentence. */
function placeOf(key: string): string {
  const table = knownTables.find(({ schema }) => Object.hasOwn(schema.entries, key));
  return table === undefined ? '.' : `; it belongs in [${showPath(table.at).replaceAll('"*"', 'NAME')}].`;
}
