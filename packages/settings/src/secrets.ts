import { mask } from './masking.ts';
import { isReference, type ResolveSecret, resolveReference } from './references.ts';
import { isTable, type Path, showPath, type Table, valueAt } from './table.ts';

/** A provider's table with its secrets filled in, beside what may be shown of it. */
export interface Provider {
  readonly value: Table;
  readonly shown: Table;
}

/** The `provider` tables of the connections at `paths`, by the path of the connection, every reference resolved. */
export async function resolveProviders(
  settings: Table,
  paths: readonly Path[],
  resolveSecret: ResolveSecret | undefined,
): Promise<ReadonlyMap<string, Provider>> {
  const providers = new Map<string, Provider>();
  for (const path of paths) {
    const provider = valueAt(settings, [...path, 'provider']);
    if (isTable(provider))
      providers.set(showPath(path), await resolveTable(provider, [...path, 'provider'], resolveSecret));
  }
  return providers;
}

async function resolveTable(table: Table, at: Path, resolveSecret: ResolveSecret | undefined): Promise<Provider> {
  const value: [string, unknown][] = [];
  const shown: [string, unknown][] = [];
  for (const [key, part] of Object.entries(table)) {
    const resolved = await resolvePart(part, [...at, key], resolveSecret);
    value.push([key, resolved.value]);
    shown.push([key, resolved.shown]);
  }
  return { value: Object.fromEntries(value), shown: Object.fromEntries(shown) };
}

async function resolvePart(
  part: unknown,
  at: Path,
  resolveSecret: ResolveSecret | undefined,
): Promise<{ value: unknown; shown: unknown }> {
  if (isReference(part)) return { value: await resolveReference(part, at, resolveSecret), shown: mask };
  if (isTable(part)) return resolveTable(part, at, resolveSecret);
  if (!Array.isArray(part)) return { value: part, shown: part };
  const parts = [];
  for (const [index, item] of part.entries()) parts.push(await resolvePart(item, [...at, index], resolveSecret));
  return { value: parts.map(({ value }) => value), shown: parts.map(({ shown }) => shown) };
}
