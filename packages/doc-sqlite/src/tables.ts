/** The names of one namespace's tables and indexes, quoted. */
export interface Tables {
  readonly meta: string;
  readonly heads: string;
  readonly messages: string;
  readonly steps: string;
  readonly tombstones: string;
  readonly byUpdate: string;
  readonly byProfile: string;
  readonly byWakeTime: string;
  readonly byExpiry: string;
  /** The name of `meta` as it stands in the schema table. */
  readonly metaName: string;
}

/**
 * Every name is the namespace, `_`, and a word without `_`, so that no two namespaces share one: tables and indexes
 * have their names in common in SQLite.
 */
export function tablesOf(namespace: string): Tables {
  const prefix = prefixOf(namespace);
  const name = (suffix: string) => quoted(`${prefix}_${suffix}`);
  return Object.freeze({
    meta: name('meta'),
    heads: name('heads'),
    messages: name('messages'),
    steps: name('steps'),
    tombstones: name('tombstones'),
    byUpdate: name('byupdate'),
    byProfile: name('byprofile'),
    byWakeTime: name('bywaketime'),
    byExpiry: name('byexpiry'),
    metaName: `${prefix}_meta`,
  });
}

/**
 * A namespace as SQLite can tell it from every other. SQLite's names ignore the case of ASCII letters, and `sqlite_`
 * is its own: `A` is `^a`, `^` is `^^`, and `^_` goes before a name that starts with `sqlite`.
 */
export function prefixOf(namespace: string): string {
  const prefix = namespace.replace(/[A-Z^]/g, (c) => `^${c.toLowerCase()}`);
  return prefix.startsWith('sqlite') ? `^_${prefix}` : prefix;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
