/** A TOML table. Its keys are data: read them with {@link own}, write them with `Object.fromEntries`. */
export interface Table {
  readonly [key: string]: unknown;
}

export type Path = readonly (string | number)[];

export function isTable(value: unknown): value is Table {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof Date);
}

/** The value of an own key: `constructor` is a key like any other. */
export function own<T>(table: { readonly [key: string]: T } | undefined, key: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}

/** The own key as a table; an empty one where it is no table. */
export function tableAt(table: Table | undefined, key: string): Table {
  const value = own(table, key);
  return isTable(value) ? value : {};
}

export function valueAt(table: Table, path: Path): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isTable(value) ? own(value, String(key)) : undefined;
  }, table);
}

/** The path as TOML writes it: `database.kvstore."my.redis".wrappers[0]`. */
export function showPath(path: Path): string {
  return path.reduce<string>((before, key) => {
    if (typeof key === 'number') return `${before}[${key}]`;
    const shown = /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
    return before === '' ? shown : `${before}.${shown}`;
  }, '');
}

/** What a value is, without showing it. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Date) return 'a date';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return typeof value === 'object' ? 'a table' : `a ${typeof value}`;
}
