import type { Variables } from './environment.ts';
import { configurationError } from './faults.ts';
import type { Layer } from './layers.ts';
import { mergeTables } from './merge.ts';
import { normalise } from './normalise.ts';
import { nearest } from './suggestions.ts';
import { isTable, own, type Table, valueAt } from './table.ts';
import { isTextKey, typedValue } from './typed-value.ts';

const roots = ['ai', 'database'];

interface Override {
  readonly name: string;
  readonly text: string;
  readonly segments: readonly string[];
}

/**
 * One layer for each variable `<PREFIX>_A__B__C`, tables before what lies in them. `below` is what the files say: a
 * segment that equals one of its keys but for case means that key, so none is ever there twice.
 */
export function layersOfVariables(variables: Variables, prefix: string, below: Table): Layer[] {
  const layers: Layer[] = [];
  const taken = new Map<string, Override>();
  let merged = below;
  for (const override of overrides(variables, prefix)) {
    const path = keysOf(override, merged);
    refuseTwice(override, path, taken);
    const value = typedValue(override.text, isTextKey(path) || typeof valueAt(merged, path) === 'string');
    const layer = normalise({ source: sourceOf(override), table: nest(path, value) });
    layers.push(layer);
    merged = mergeTables(merged, layer.table);
  }
  return layers;
}

function overrides(variables: Variables, prefix: string): Override[] {
  return Object.entries(variables)
    .flatMap(([name, text]) => (text === undefined ? [] : overrideOf(name, text, prefix)))
    .sort((a, b) => a.segments.length - b.segments.length || (a.name < b.name ? -1 : 1));
}

/** None for a variable that is not about these settings: an application may use the prefix for its own. */
function overrideOf(name: string, text: string, prefix: string): Override[] {
  const start = `${prefix}_`.toUpperCase();
  if (!name.toUpperCase().startsWith(start)) return [];
  const rest = name.slice(start.length);
  const segments = rest.split('__');
  const root = segments[0]?.toLowerCase() ?? '';
  if (!roots.includes(root)) return refuseNearRoot(name, rest, root);
  if (segments.length > 1 && segments.every((segment) => segment !== '')) return [{ name, text, segments }];
  throw variableError(
    name,
    `${name}: expected keys with two underscores between them, as in ${start}AI__AGENTS__ENABLED.`,
  );
}

function refuseNearRoot(name: string, rest: string, root: string): [] {
  const single = roots.find((known) => rest.toLowerCase().startsWith(`${known}_`));
  if (single !== undefined) {
    throw variableError(
      name,
      `${name}: nested keys need two underscores between them; did you mean ${single.toUpperCase()}__…?`,
    );
  }
  const meant = rest.includes('__') ? nearest(root, ['database']) : undefined;
  if (meant === undefined) return [];
  throw variableError(name, `${name}: unknown table ${root}; did you mean ${meant.toUpperCase()}__…?`);
}

/** The keys that the segments mean: those that are there already, whatever their case, else lower-case ones. */
function keysOf({ name, segments }: Override, below: Table): string[] {
  const path: string[] = [];
  let value: unknown = below;
  for (const segment of segments) {
    if (Array.isArray(value)) throw variableError(name, `${name}: ${path.join('.')} is a list; set it as a whole.`);
    const key = keyOf(segment, isTable(value) ? value : {}, name);
    path.push(key);
    value = isTable(value) ? own(value, key) : undefined;
  }
  return path;
}

function keyOf(segment: string, table: Table, name: string): string {
  if (Object.hasOwn(table, segment)) return segment;
  const same = Object.keys(table).filter((key) => key.toLowerCase() === segment.toLowerCase());
  if (same.length > 1) throw variableError(name, `${name}: it may mean each of the keys ${same.join(', ')}.`);
  return same[0] ?? segment.toLowerCase();
}

/** The same key in two spellings is fine as long as both say the same. */
function refuseTwice(override: Override, path: readonly string[], taken: Map<string, Override>): void {
  const key = JSON.stringify(path);
  const other = taken.get(key) ?? override;
  taken.set(key, override);
  if (other.text === override.text) return;
  throw variableError(override.name, `${override.name}: ${other.name} sets the same key to another value.`);
}

function nest(path: readonly string[], value: unknown): Table {
  return path.reduceRight<unknown>((inner, key) => Object.fromEntries([[key, inner]]), value) as Table;
}

function sourceOf({ name }: Override): string {
  return `Environment variable ${name}`;
}

function variableError(name: string, says: string) {
  return configurationError(name, `Environment variable ${says}`);
}
